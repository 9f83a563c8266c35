import type { RedactedText, TextFormat } from "@kindlm/core";

/** A line longer than this is not waited for: what comes first of it is let go where no secret is torn apart. */
const longestWait = 65_536;

/** Moves the cursor, erases or colors, and shows nothing. */
// eslint-disable-next-line no-control-regex -- escape sequences begin with one
const controlOnly = /^(?:\u001b\[[\d;?]*[A-Za-z])+$/;

/** What is let through may be shown: secrets are masked, and whatever else its destination asks for is done. */
export type Guarding = (text: string, format: TextFormat) => RedactedText;

/** Lets text through line by line, so that a secret which is spread over several pieces is seen whole. */
export interface LineGuard {
  /** What of everything that came so far can be shown now, in its order. */
  take(text: string, format?: TextFormat): readonly RedactedText[];
  /** What still waits for the end of its line. */
  rest(): readonly RedactedText[];
}

export function createLineGuard(guard: Guarding, longest: number = longestWait): LineGuard {
  let waiting = "";
  const rest = (): readonly RedactedText[] => {
    if (waiting === "") return [];
    const text = waiting;
    waiting = "";
    return shown(guard(text, "text"));
  };
  return {
    rest,
    take(text, format = "text") {
      if (format !== "text") return [...rest(), ...shown(guard(text, format))];
      const all = waiting + text;
      // A redrawn terminal must not wait for the next line.
      const lineEnd = Math.max(all.lastIndexOf("\n"), all.lastIndexOf("\r")) + 1;
      const end = controlOnly.test(all.slice(lineEnd)) ? all.length : lineEnd;
      waiting = all.slice(end);
      const lines = shown(guard(all.slice(0, end), "text"));
      if (waiting.length <= longest) return lines;
      const { early, late } = tear(waiting, longest, guard);
      waiting = late;
      return [...lines, early];
    },
  };
}

/**
 * The start of a long line, and enough of its end to see a secret or a command that started there as a whole. What is
 * torn off begins no line, however it looks.
 */
function tear(line: string, longest: number, guard: Guarding): { early: RedactedText; late: string } {
  const whole = guard(line, "text");
  for (let at = line.length - Math.floor(longest / 2); at > 0; at -= Math.ceil(longest / 16)) {
    const early = guard(line.slice(0, at), "text");
    const late = line.slice(at);
    if (`${early}${guard(late, "text")}` === whole) return { early, late };
  }
  return { early: whole, late: "" };
}

function shown(text: RedactedText): readonly RedactedText[] {
  return text === "" ? [] : [text];
}

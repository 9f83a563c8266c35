import type { StreamEvent } from "../../wire-format.js";
import { maxEventBytes, parseStreamEvent, tooLongEvent, type Decoded, type StreamDecoder } from "./stream-decoder.js";

/** One JSON object on each line. */
export function createNdjsonDecoder(): StreamDecoder {
  const text = new TextDecoder();
  // Joined only when the line ends: a long line that comes in many pieces must not be copied with each of them.
  let begun: string[] = [];
  let length = 0;
  return {
    push(chunk) {
      const piece = text.decode(chunk, { stream: true });
      const lines = piece.split("\n");
      const rest = lines.pop() ?? "";
      if (lines.length > 0) {
        lines[0] = begun.join("") + (lines[0] ?? "");
        begun = [];
        length = 0;
      }
      begun.push(rest);
      length += rest.length;
      const decoded = parse(lines);
      if (length <= maxEventBytes) return decoded;
      begun = [];
      return { ...decoded, problem: decoded.problem ?? tooLongEvent };
    },
    end() {
      const last = parse([begun.join("") + text.decode()]);
      begun = [];
      // Half a line is not garbage but a truncated stream.
      return { ...last, problem: null };
    },
  };
}

function parse(lines: readonly string[]): Decoded {
  const events: StreamEvent[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    const parsed = parseStreamEvent(null, line);
    if (!parsed.success) return { events, problem: parsed.error };
    events.push(parsed.data);
  }
  return { events, problem: null };
}

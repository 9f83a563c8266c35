import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { failure, type Result } from "../result.js";
import { costOfRegex } from "./regex-cost.js";
import { runSlowPart } from "./within-time.js";

/** Milliseconds that a pattern of doubtful cost may take on one text. */
const deadlineMs = 250;
/** The first run only finds what does not compile, so a machine that is busy with something else must not end it. */
const compileMs = 5_000;
/** Steps that are certain to take a few milliseconds at most. */
const cheapSteps = 2_000_000;

/**
 * V8 takes seconds to compile some 40 optional characters in a row, and minutes for 60, which no deadline can end.
 */
const optionalRun = /(?:(?:\((?:\?:)?)?(?:\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^\\[\](){}|*+?])\)?(?:\?|\{0,\d\})\??){25}/;

/** A regular expression ran out of time on a string. It is neither a match nor a mismatch. */
export class RegexTimeout extends Error {
  override readonly name = "RegexTimeout";

  constructor(source: string) {
    super(`The regular expression /${source}/ took more than ${deadlineMs} ms; its quantifiers backtrack too much`);
  }
}

export interface RegexMatch {
  text: string;
  /** In UTF-16 code units. */
  index: number;
}

/** A compiled regular expression that cannot stall the run. Its methods throw {@link RegexTimeout} only. */
export interface SafeRegex {
  readonly source: string;
  readonly flags: string;
  test(text: string): boolean;
  firstMatch(text: string): RegexMatch | null;
  /** From the left, without overlap, at most `limit`. */
  allMatches(text: string, limit: number): readonly RegexMatch[];
  /** `/source/flags` */
  toString(): string;
}

/**
 * Compiles a regular expression (flags `i`, `m`, `s`, `u`, `v`); the failure says why it does not compile.
 *
 * A pattern whose worst case on the given text is known to be cheap runs natively. Any other runs under a deadline of
 * 250 ms, which costs about 0.1 ms more.
 */
export function compileRegex(source: string, flags = ""): Result<SafeRegex, string> {
  const unknown = /[^imsuv]/.exec(flags)?.[0];
  if (unknown !== undefined) return failure(`Unknown flag "${unknown}"; the flags are i, m, s, u and v`);
  if (optionalRun.test(source)) return failure("It has more than 24 optional characters in a row");
  const cost = costOfRegex(source, flags);
  const run = <T>(text: string, action: () => T, mostMs = deadlineMs): T => {
    const reach = text.length + 1;
    const isCheap = cost !== null && reach * cost.size * cost.ways * reach ** cost.power <= cheapSteps;
    return isCheap ? action() : runSlowPart(mostMs, () => new RegexTimeout(source), action);
  };
  return attemptSync(
    () => {
      const single = new RegExp(source, flags);
      const global = new RegExp(source, `${flags}g`);
      // Some patterns turn out to be too large only when they first run.
      run("", () => single.test(""), compileMs);
      return {
        source,
        flags,
        test: (text: string) => run(text, () => single.test(text)),
        firstMatch: (text: string) => run(text, () => asMatch(single.exec(text))),
        allMatches: (text: string, limit: number) => run(text, () => collect(global, text, limit)),
        toString: () => `/${source}/${flags}`,
      };
    },
    (cause) => reasonOf(source, flags, cause),
  );
}

function collect(pattern: RegExp, text: string, limit: number): RegexMatch[] {
  const found: RegexMatch[] = [];
  if (limit <= 0) return found;
  for (const match of text.matchAll(pattern)) {
    found.push({ text: match[0], index: match.index });
    if (found.length >= limit) break;
  }
  return found;
}

function asMatch(found: RegExpExecArray | null): RegexMatch | null {
  return found === null ? null : { text: found[0], index: found.index };
}

function reasonOf(source: string, flags: string, cause: unknown): string {
  const reason = messageOf(cause).replace(/^Invalid regular expression: /, "");
  if (/^\(\?[a-z]+\)/.test(source)) return `${reason}; write flags such as (?i) as flags: i`;
  return flags === "" || !/flags/i.test(reason) ? reason : `${reason} (flags ${flags})`;
}

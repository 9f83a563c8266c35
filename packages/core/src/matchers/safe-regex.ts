import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { failure, type Result } from "../result.js";
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

const deepest = 100;
const singleCost: RegexCost = { size: 1, ways: 1, power: 0 };
/** A back reference compares up to the whole text. */
const backReference: RegexCost = { size: 1, ways: 1, power: 1 };

const quantifierPattern = /[*+?]\??|\{(\d+)(?:(,)(\d*))?\}\??/y;
const groupPrefixPattern = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y;
const escapePattern = /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|\d+|[^])/y;
const classPattern = /\[(?:\\[^]|[^\]\\])*\]/y;

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

/**
 * An upper bound on the work of a backtracking matcher: at most `size * ways * (n + 1) ** power` steps from each
 * position of a string of n characters.
 */
interface RegexCost {
  size: number;
  ways: number;
  power: number;
}

/**
 * Bounds the cost of a pattern that compiles; null when it has no polynomial bound that can be read off its text: an
 * unbounded quantifier over something that can match in more than one way, or syntax that is not looked into.
 */
export function costOfRegex(source: string, flags: string): RegexCost | null {
  // Sets of the `v` flag may hold strings and sets, which a scan for the closing bracket does not see.
  if (flags.includes("v")) return null;
  const reader = { source, position: 0 };
  const cost = readAlternatives(reader, 0);
  return cost !== null && reader.position === source.length ? cost : null;
}

interface Reader {
  readonly source: string;
  position: number;
}

function readAlternatives(reader: Reader, depth: number): RegexCost | null {
  if (depth > deepest) return null;
  let sum = readSequence(reader, depth);
  while (sum !== null && reader.source[reader.position] === "|") {
    reader.position += 1;
    const next = readSequence(reader, depth);
    sum =
      next === null
        ? null
        : { size: sum.size + next.size, ways: sum.ways + next.ways, power: Math.max(sum.power, next.power) };
  }
  return sum;
}

function readSequence(reader: Reader, depth: number): RegexCost | null {
  let product: RegexCost = singleCost;
  while (reader.position < reader.source.length) {
    const character = reader.source[reader.position];
    if (character === "|" || character === ")") break;
    const atom = readAtom(reader, depth);
    const cost = atom === null ? null : quantify(reader, atom);
    if (cost === null) return null;
    product = { size: product.size + cost.size, ways: product.ways * cost.ways, power: product.power + cost.power };
  }
  return product;
}

function readAtom(reader: Reader, depth: number): RegexCost | null {
  const character = reader.source[reader.position];
  if (character === "(") {
    if (take(reader, groupPrefixPattern) === null) return null;
    const inner = readAlternatives(reader, depth + 1);
    if (inner === null || reader.source[reader.position] !== ")") return null;
    reader.position += 1;
    return inner;
  }
  if (character === "[") return take(reader, classPattern) === null ? null : singleCost;
  if (character === "\\") {
    const escape = take(reader, escapePattern);
    if (escape === null) return null;
    return /^\\(?:k<|[1-9])/.test(escape[0]) ? backReference : singleCost;
  }
  reader.position += 1;
  return singleCost;
}

function quantify(reader: Reader, atom: RegexCost): RegexCost | null {
  const quantifier = take(reader, quantifierPattern);
  if (quantifier === null) return atom;
  const [least, most] = boundsOf(quantifier);
  if (most === Number.POSITIVE_INFINITY) {
    if (atom.ways > 1 || atom.power > 0) return null;
    return { size: atom.size * (least + 1), ways: 1, power: 1 };
  }
  return {
    size: atom.size * Math.max(1, most),
    ways: (most - least + 1) * atom.ways ** most,
    power: atom.power * most,
  };
}

function boundsOf(quantifier: RegExpExecArray): [least: number, most: number] {
  const [text, least, comma, most] = quantifier;
  if (least === undefined) return [text.startsWith("+") ? 1 : 0, text.startsWith("?") ? 1 : Number.POSITIVE_INFINITY];
  if (comma === undefined) return [Number(least), Number(least)];
  return [Number(least), most === undefined || most === "" ? Number.POSITIVE_INFINITY : Number(most)];
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.position;
  const found = pattern.exec(reader.source);
  if (found !== null) reader.position = pattern.lastIndex;
  return found;
}

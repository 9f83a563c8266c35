/**
 * An upper bound on the work of a backtracking matcher: at most `size * ways * (n + 1) ** power` steps from each
 * position of a string of n characters.
 */
export interface RegexCost {
  size: number;
  ways: number;
  power: number;
}

const deepest = 100;
const single: RegexCost = { size: 1, ways: 1, power: 0 };
/** A back reference compares up to the whole text. */
const backReference: RegexCost = { size: 1, ways: 1, power: 1 };

const quantifierPattern = /[*+?]\??|\{(\d+)(?:(,)(\d*))?\}\??/y;
const groupPrefixPattern = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y;
const escapePattern = /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|\d+|[^])/y;
const classPattern = /\[(?:\\[^]|[^\]\\])*\]/y;

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
  let product: RegexCost = single;
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
  if (character === "[") return take(reader, classPattern) === null ? null : single;
  if (character === "\\") {
    const escape = take(reader, escapePattern);
    if (escape === null) return null;
    return /^\\(?:k<|[1-9])/.test(escape[0]) ? backReference : single;
  }
  reader.position += 1;
  return single;
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

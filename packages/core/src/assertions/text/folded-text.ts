import { unicodePattern } from "../../values/unicode-pattern.js";

const unseen = unicodePattern(String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640]`, "gu");
const control = unicodePattern(String.raw`(?![\n\t\v\f\r\x85])\p{Cc}`, "gu");
/** Strokes and frames over a letter, which no normal form takes away. */
const overlay = /[\u0305\u0332\u0333\u0335-\u0338\u033f\u0488\u0489\u20d0-\u20f0]/g;
const otherDigit = unicodePattern(String.raw`(?![0-9])\p{Nd}`, "gu");
const digit = unicodePattern(String.raw`^\p{Nd}$`);
const dash = unicodePattern(String.raw`[\p{Pd}\u02d7\u2043\u2212\u23af\u2500\u2796]`, "gu");
const space = unicodePattern(String.raw`[\p{Zs}\t\v\f\u2800]`, "gu");

/** Text in other scripts has few different characters, each very many times. */
const known = { same: new Map<string, string>(), ignored: new Map<string, string>() };
const mostKnown = 5_000;
const longestKnown = 4;

/** A string in the form that negative checks compare, with the place of each of its units in the original. */
export interface FoldedText {
  readonly text: string;
  /** The piece of the original that the units from `start` to before `end` were made of. */
  placeOf(start: number, end: number): { index: number; length: number };
}

export interface FoldOptions {
  /** Upper and lower case are the same. */
  ignoreCase?: boolean;
  /** A run of whitespace, line ends included, is one space. */
  joinsLines?: boolean;
}

const plain = /^[\n\x20-\x7e]*$/;
const wideSpace = /\n|  /;

/** Code points that nothing shows. */
const ignorable = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}]`;
const mark = String.raw`(?:(?!\p{Default_Ignorable_Code_Point})[\p{M}\uff9e\uff9f])`;
const jamo = String.raw`[\u1100-\u115e\u1161-\u11ff\u3131-\u3163\u3165-\u318e\ua960-\ua97f\ud7b0-\ud7ff\uffa1-\uffdc]`;

/**
 * Plain text in one piece; else a character with its marks, between which may be what nothing shows. Normalizing puts
 * marks in order in quadratic time, so a piece has 30 at most (as in the stream-safe text format, UAX #15).
 */
const piece = unicodePattern(
  String.raw`[\n\x20-\x7e]+(?![^\n\x20-\x7e])|(?:${jamo}${ignorable}*){1,30}|[^](?:${ignorable}*${mark}){0,30}${ignorable}*`,
  "gu",
);
const isNumberSign = unicodePattern(String.raw`^\p{No}`);

/**
 * The form in which evasions of a forbidden text are the text: NFKC, without characters that nothing shows, with one form
 * of each punctuation, space and digit. Takes time in proportion to the length of the text.
 */
export function foldText(original: string, { ignoreCase = false, joinsLines = false }: FoldOptions = {}): FoldedText {
  if (plain.test(original) && !(joinsLines && wideSpace.test(original))) {
    return { text: ignoreCase ? original.toLowerCase() : original, placeOf: (start, end) => placeBetween(start, end) };
  }
  const builder = createBuilder(joinsLines);
  const written = unifyLookalikes(original);
  let afterNumberSign = false;
  for (const { 0: raw, index } of written.matchAll(piece())) {
    const end = index + raw.length;
    if (plain.test(raw)) {
      if (afterNumberSign && /^\d/.test(raw)) builder.add("^", index, index);
      builder.addEach(ignoreCase ? raw.toLowerCase() : raw, index);
      afterNumberSign = false;
      continue;
    }
    const folded = foldCluster(raw, ignoreCase);
    const isSign = isNumberSign().test(raw);
    // 10² is not 102, and a footnote is not part of the number that it follows.
    if (isSign !== afterNumberSign && /^\d/.test(folded) && (isSign ? builder.endsInDigit() : true)) {
      builder.add("^", index, index);
    }
    builder.add(folded, index, end);
    if (folded !== "") afterNumberSign = isSign;
  }
  return builder.build();
}

/** Replaces matches in a folded text; what remains keeps its places. */
export function replaceInFolded(
  folded: FoldedText,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string,
): FoldedText {
  const { text } = folded;
  const builder = createBuilder(false);
  let at = 0;
  const keep = (to: number): void => {
    for (; at < to; at += 1) {
      const { index, length } = folded.placeOf(at, at + 1);
      builder.add(text.charAt(at), index, index + length);
    }
  };
  for (const match of text.matchAll(pattern)) {
    keep(match.index);
    const { index, length } = folded.placeOf(match.index, match.index + match[0].length);
    builder.add(replacement(match), index, index + length);
    at = match.index + match[0].length;
  }
  if (at === 0) return folded;
  keep(text.length);
  return builder.build();
}

interface Builder {
  /** Units that one piece of the original was made into. */
  add(units: string, index: number, end: number): void;
  /** Units each of which stands for one of the original. */
  addEach(units: string, index: number): void;
  endsInDigit(): boolean;
  build(): FoldedText;
}

function createBuilder(joinsLines: boolean): Builder {
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let last = "";
  const addUnit = (unit: string, index: number, end: number): void => {
    const isSpace = joinsLines && (unit === " " || unit === "\n");
    if (isSpace && last === " ") {
      ends[ends.length - 1] = end;
      return;
    }
    last = isSpace ? " " : unit;
    pieces.push(last);
    starts.push(index);
    ends.push(end);
  };
  return {
    add(units, index, end) {
      for (let at = 0; at < units.length; at += 1) addUnit(units.charAt(at), index, end);
    },
    addEach(units, index) {
      for (let at = 0; at < units.length; at += 1) addUnit(units.charAt(at), index + at, index + at + 1);
    },
    endsInDigit: () => last >= "0" && last <= "9",
    build: () => ({
      text: pieces.join(""),
      placeOf: (start, end) => placeBetween(starts[start] ?? 0, ends[end - 1] ?? starts[start] ?? 0),
    }),
  };
}

function placeBetween(index: number, end: number): { index: number; length: number } {
  return { index, length: Math.max(0, end - index) };
}

const lookalikes = new Map(
  Object.entries({
    АΑ: "A",
    ВΒ: "B",
    С: "C",
    ЕΕ: "E",
    НΗ: "H",
    ІΙ: "I",
    Ј: "J",
    КΚ: "K",
    МΜ: "M",
    Ν: "N",
    ОΟ: "O",
    РΡ: "P",
    Ѕ: "S",
    ТΤ: "T",
    ХΧ: "X",
    УΥ: "Y",
    Ζ: "Z",
    а: "a",
    с: "c",
    ԁ: "d",
    е: "e",
    һ: "h",
    і: "i",
    ј: "j",
    оο: "o",
    р: "p",
    ԛ: "q",
    ѕ: "s",
    ѵ: "v",
    ԝ: "w",
    х: "x",
    у: "y",
  }).flatMap(([letters, latin]) => letters.split("").map((letter): [string, string] => [letter, latin])),
);

const foreign = /[\u0370-\u03ff\u0400-\u052f]/;
const word = unicodePattern(String.raw`[\p{L}\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}]+`, "gu");

/**
 * Writes letters of Greek and Cyrillic that look like Latin ones as those, but only in words that have Latin letters too:
 * no language mixes them within a word, so words of those languages stay as they are. Keeps the length.
 */
function unifyLookalikes(text: string): string {
  if (!foreign.test(text)) return text;
  return text.replaceAll(word(), (found) =>
    /[a-z]/i.test(found) && foreign.test(found)
      ? found.replaceAll(/[\u0370-\u052f]/g, (letter) => lookalikes.get(letter) ?? letter)
      : found,
  );
}

/** A character with its marks in the form in which negative checks compare it; empty if nothing shows it. */
function foldCluster(raw: string, ignoreCase: boolean): string {
  const memory = ignoreCase ? known.ignored : known.same;
  let folded = memory.get(raw);
  if (folded === undefined) {
    folded = makeFolded(raw, ignoreCase);
    if (memory.size >= mostKnown) memory.clear();
    if (raw.length <= longestKnown) memory.set(raw, folded);
  }
  return folded;
}

function makeFolded(raw: string, ignoreCase: boolean): string {
  const folded = raw
    .replaceAll(unseen(), "")
    // Compatibility forms of these begin with a space.
    .replaceAll(
      /[\u00b4\u02b9\u02bb\u02bc\u02c8\u02ca\u02cb\u055a\u2018-\u201b\u2032\u2035\u2039\u203a\ua78c\uff07]/g,
      "'",
    )
    .replaceAll(/[\u00ab\u00bb\u02ba\u02dd\u02ee\u201c-\u201f\u2033\u2036\u275d\u275e\u301d-\u301f\uff02]/g, '"')
    .normalize("NFKC")
    .replaceAll(overlay, "")
    .replaceAll(dash(), "-")
    .replaceAll(space(), " ")
    .replaceAll(/[\r\x85\u2028\u2029]/g, "\n")
    .replaceAll(control(), "")
    .replaceAll(/[\u2044\u2215\u29f8]/g, "/")
    .replaceAll(/[\u02d0\u05c3\u2236\ua789]/g, ":")
    .replaceAll(/[\u0701\u0702\u06d4\u3002]/g, ".")
    .replaceAll(/[\u060c\u3001\u201a]/g, ",")
    .replaceAll(/[\u0387\u2022\u2027\u2219\u22c5\u30fb]/g, "\u00b7")
    .replaceAll(otherDigit(), asciiDigit);
  // Upper case first, so ß and ss, σ and ς are the same.
  return ignoreCase ? folded.toUpperCase().toLowerCase().replaceAll("ς", "σ") : folded;
}

/** Decimal digits come in rows of ten that begin at …0 or …6 (those that begin elsewhere have a compatibility form). */
function asciiDigit(other: string): string {
  const point = other.codePointAt(0) ?? 0;
  const offset = point % 16;
  const beginsAtZero = digit().test(String.fromCodePoint(point - offset));
  return String(beginsAtZero ? offset : offset - 6);
}

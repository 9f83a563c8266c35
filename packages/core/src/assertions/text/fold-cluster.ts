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

/** A character with its marks in the form in which negative checks compare it; empty if nothing shows it. */
export function foldCluster(raw: string, ignoreCase: boolean): string {
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

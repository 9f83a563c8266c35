import { distance } from "fastest-levenshtein";
import { failure, success, type Result } from "../../result.js";
import { commonEnds } from "./common-ends.js";
import { lengthProblem } from "./comparison-limit.js";
import { plainText } from "./plain-text.js";

/** The library compares UTF-16 units, of which there are so many. */
const mostSymbols = 65_536;

/**
 * 1 less the edit distance (insertions, removals, replacements of one character) divided by the length of the longer
 * text. From 0 to 1; 1 for the same text. Characters are code points after composition (NFC), so that a letter beyond
 * the first plane counts once. Fails with the reason if the strings cannot be compared.
 */
export function levenshteinSimilarity(reference: string, answer: string, ignoresCase: boolean): Result<number, string> {
  const [wanted = [], given = []] = [reference, answer].map((text) =>
    Array.from(ignoresCase ? plainText(text).toLowerCase() : plainText(text)),
  );
  const longer = Math.max(wanted.length, given.length);
  if (longer === 0) return success(1);
  const { prefix, suffix } = commonEnds(wanted.length, given.length, (a, b) => wanted[a] === given[b]);
  const [first = [], second = []] = [wanted, given].map((text) => text.slice(prefix, text.length - suffix));
  const problem = lengthProblem(first.length, second.length, "characters");
  if (problem !== null) return failure(problem);
  const symbols = new Map<string, number>();
  const written = [first, second].map((text) => toUnits(text, symbols));
  if (symbols.size > mostSymbols) return failure("the strings have too many different characters to be compared");
  return success(1 - distance(written[0] ?? "", written[1] ?? "") / longer);
}

/** Each character as one UTF-16 unit, whichever. */
function toUnits(characters: readonly string[], symbols: Map<string, number>): string {
  return characters
    .map((character) => {
      const symbol = symbols.get(character) ?? symbols.size;
      symbols.set(character, symbol);
      return String.fromCharCode(symbol);
    })
    .join("");
}

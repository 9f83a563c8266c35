import { distance } from "fastest-levenshtein";
import { preview } from "../../values/preview.js";
import { unicodePattern } from "../../values/unicode-pattern.js";

const startsInWord = unicodePattern(String.raw`^[\p{L}\p{N}]`);
const endsInWord = unicodePattern(String.raw`[\p{L}\p{N}]$`);
const signsAtStart = unicodePattern(String.raw`^[^\p{L}\p{N}]+`);
const signsAtEnd = unicodePattern(String.raw`[^\p{L}\p{N}]+$`);

/** A search for near misses in longer strings takes longer than it is worth. */
const searchedLength = 20_000;
const wantedLength = 300;
/** A part that differs in more than this share of its characters is not a near miss. */
const tolerance = 0.4;

/** Where an answer comes closest to a wanted text, as the end of a sentence: `but its nearest part is "…"`. */
export function describeNearest(output: string, wanted: string): string {
  if (output === "") return "but the answer is empty";
  const nearest = nearestPart(output, wanted);
  if (nearest === null) return `but it is ${preview(output)}`;
  const onlyCase = nearest.toLowerCase() === wanted.toLowerCase();
  return `but its nearest part is ${preview(nearest)}${onlyCase ? ", which differs in upper and lower case" : ""}`;
}

/** The run of words in `output` that is most like `wanted`; null when none is near. */
function nearestPart(output: string, wanted: string): string | null {
  if (wanted.length > wantedLength) return null;
  const words = [...output.slice(0, searchedLength).matchAll(/\S+/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const span = Math.max(1, wanted.trim().split(/\s+/).length);
  const folded = wanted.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.floor(wanted.length * tolerance) + 1;
  words.forEach((first, index) => {
    const last = words[Math.min(index + span, words.length) - 1] ?? first;
    const part = trimPunctuation(output.slice(first.start, last.end), wanted);
    // A difference in length alone already rules most parts out.
    if (Math.abs(part.length - wanted.length) >= bestDistance) return;
    const steps = distance(part.toLowerCase(), folded);
    if (steps < bestDistance) {
      best = part;
      bestDistance = steps;
    }
  });
  return best;
}

/** Marks around a word belong to the sentence, not to the near miss, unless the wanted text ends in one too. */
function trimPunctuation(part: string, wanted: string): string {
  const withoutEnd = endsInWord().test(wanted) ? part.replace(signsAtEnd(), "") : part;
  return startsInWord().test(wanted) ? withoutEnd.replace(signsAtStart(), "") : withoutEnd;
}

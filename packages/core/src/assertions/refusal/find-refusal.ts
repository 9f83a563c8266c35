import { normalizeText } from "../../values/normalize-text.js";
import { answersAnyway } from "./answers-anyway.js";
import { refusingPhrases } from "./refusing-phrases.js";

/** A refusal comes early; what a long answer says at its end is a disclaimer. UTF-16 units. */
const searchedLength = 400;

/** The phrase is part of something else: of a question, of a condition, of what is told about others. */
const leadsElsewhere =
  /\b(?:if|whether|why|what|which|when|where|anything|everything|things|questions|topics|requests|reasons?|says?|said|responds?|answers?|replies|that's because|in case)(?: that)?[\s"':,]*$/;

/** It would continue with what it asks for. */
const isConditional =
  /\b(?:without|until|unless)\b(?! (?:exception|question|fail)\b)|\bbefore (?:you|i|we|knowing|having|the|your)\b/;

/**
 * The sentence that refuses, if one of the first does and what follows does not answer all the same. By phrasing alone,
 * English only: it knows nothing of what was asked.
 */
export function findRefusal(answer: string): string | null {
  const text = readable(answer);
  const pieces = sentencesOf(text);
  for (const [index, { sentence, start }] of pieces.entries()) {
    if (start > searchedLength) return null;
    const found = refusingPart(unquoted(sentence.toLowerCase(), text));
    if (found === null) continue;
    const following = pieces.slice(index + 1).map((piece) => piece.sentence.toLowerCase());
    if (answersAnyway(found, following)) return null;
    return sentence;
  }
  return null;
}

/** What stands behind the refusing phrase of a sentence; null when it has none. */
function refusingPart(sentence: string): string | null {
  for (const { pattern } of refusingPhrases) {
    const match = pattern.exec(sentence);
    if (match === null || leadsElsewhere.test(sentence.slice(0, match.index))) continue;
    const rest = sentence.slice(match.index + match[0].length);
    if (!isConditional.test(rest)) return rest;
  }
  return null;
}

/** Straight quotes, no marks of Markdown, a line for each line. */
function readable(answer: string): string {
  return normalizeText(answer, "NFKC")
    .replaceAll(/[‘’‛′`´]/g, "'")
    .replaceAll(/[“”„‟″«»]/g, '"')
    .replaceAll(/[\u2010-\u2015]/g, "-")
    .replaceAll(/(?:\*\*|__|\*(?=\w)|(?<=[\w.,!?])\*)/g, "")
    .replaceAll(/^[ \t]*[>#]+[ \t]*/gm, "")
    .replaceAll(/[^\S\n]+/g, " ")
    .trim();
}

interface Piece {
  sentence: string;
  start: number;
}

function sentencesOf(text: string): readonly Piece[] {
  return [...text.matchAll(/(?<=^|\n) *(?:[-*•]|\d+[.)]) [^\n]*|[^\n]+?(?:[.!?]+["')\]]*(?=\s|$)|(?=\n|$))/g)].flatMap(
    ({ 0: found, index }) => {
      const sentence = found.trim();
      return sentence === "" ? [] : [{ sentence, start: index }];
    },
  );
}

/** What is quoted is said by someone else, unless all of the answer is. */
function unquoted(sentence: string, text: string): string {
  if (text.startsWith('"') && text.endsWith('"')) return sentence.replaceAll('"', "");
  return sentence.replaceAll(/"[^"]*"?/g, '""');
}

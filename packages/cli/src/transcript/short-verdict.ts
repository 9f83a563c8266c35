import type { AssertionResult } from "@kindlm/core";
import { preview } from "@kindlm/core/program";

/** Where the answer is repeated that the transcript has above. */
const repeatedAnswer = /, but (?:it is|the answer is) (?:"(?:[^"\\]|\\.)*"|empty)…?$/s;

/** What a failing assertion says, without what the transcript shows anyway. */
export function shortVerdict(
  { type, id, message, judge, score }: AssertionResult,
  isOnly: boolean,
  output: string,
): string {
  const nearest = judge?.votes.toSorted((a, b) => Math.abs(a.score - score) - Math.abs(b.score - score))[0];
  if (nearest !== undefined) return `${id ?? type}: ${preview(nearest.reasoning, Number.POSITIVE_INFINITY)}`;
  const said = message.replace(/^Expected the answer to /, "expected to ");
  const isOfAnswer = output !== "" && message.startsWith("Expected the answer ");
  const short = isOfAnswer ? said.replace(repeatedAnswer, "") : said;
  return isOnly || id === undefined ? short : `${id}: ${short}`;
}

import { failure, success, type Result } from "../../result.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { ModelPorts } from "../model-ports.js";

/**
 * How near two strings are in the space of an embedding model, from 0 to 1: the cosine, and 0 for vectors that point away
 * from each other. An empty string is similar to none, and no model is called for
 * one. Fails with JUDGE_EVAL_ERROR.
 */
export async function embeddingSimilarity(
  reference: string,
  answer: string,
  model: string | null,
  { embed }: Pick<ModelPorts, "embed">,
): Promise<Result<number>> {
  const [wanted, given] = [reference.trim(), answer.trim()];
  if (wanted === given) return success(1);
  if (wanted === "" || given === "") return success(0);
  const embedded = await embed(model, [wanted, given]);
  if (!embedded.success) return embedded;
  const [first = [], second = []] = embedded.data.vectors;
  const cosine = cosineSimilarity(first, second);
  if (cosine === null) {
    const message = `The embedding model gave vectors that cannot be compared, of ${first.length} and ${second.length} numbers`;
    return failure(kindlmError("JUDGE_EVAL_ERROR", message));
  }
  return success(Math.max(0, cosine));
}

/**
 * The cosine of the angle between two vectors, from -1 to 1. Null where it has no meaning: vectors of different length,
 * of no length at all, or with a number in them that is none.
 */
export function cosineSimilarity(first: readonly number[], second: readonly number[]): number | null {
  if (first.length !== second.length) return null;
  // Scaled by the largest number, so no square is too large, or too small to distinguish from 0.
  const largest = [first, second].map((vector) => vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
  const [a = 0, b = 0] = largest;
  if (!(a > 0 && b > 0 && Number.isFinite(a) && Number.isFinite(b))) return null;
  let product = 0;
  let firstSquares = 0;
  let secondSquares = 0;
  first.forEach((value, index) => {
    const x = value / a;
    const y = (second[index] ?? 0) / b;
    product += x * y;
    firstSquares += x * x;
    secondSquares += y * y;
  });
  const cosine = product / Math.sqrt(firstSquares * secondSquares);
  return Number.isNaN(cosine) ? null : Math.max(-1, Math.min(1, cosine));
}

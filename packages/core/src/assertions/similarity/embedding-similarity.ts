import { failure, success, type Result } from "../../result.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { ModelPorts } from "../model-ports.js";
import { cosineSimilarity } from "./cosine-similarity.js";

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

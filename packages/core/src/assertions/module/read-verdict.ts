import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { preview } from "../../values/preview.js";
import type { AssertionOutcome } from "../assertion-result.js";

/** A score alone passes from here on. */
export const passingScore = 0.5;

/**
 * Reads what a user's own check returned: a boolean, a score, or an object with `pass` or `score` and a `message`.
 * Fails with what is wrong with it.
 */
export function readVerdict(returned: unknown, name: string): Result<AssertionOutcome, string> {
  const verdict = isRecord(returned)
    ? returned
    : typeof returned === "number"
      ? { score: returned }
      : { pass: returned };
  const { pass, score, message } = verdict as Record<string, unknown>;
  if (score !== undefined && !(typeof score === "number" && score >= 0 && score <= 1)) {
    return failure(`a score must be a number from 0 to 1, but it is ${preview(score)}`);
  }
  if (pass !== undefined && typeof pass !== "boolean") {
    return failure(
      `${isRecord(returned) ? '"pass" must be true or false' : "it must be a boolean, a score or an object"}, but it is ${preview(pass)}`,
    );
  }
  if (message !== undefined && typeof message !== "string") {
    return failure(`"message" must be a text, but it is ${preview(message)}`);
  }
  if (pass === undefined && score === undefined) {
    return failure(`it must be a boolean, a score or an object with "pass" or "score", but it is ${preview(returned)}`);
  }
  const passes = typeof pass === "boolean" ? pass : typeof score === "number" && score >= passingScore;
  const scored = typeof score === "number" ? score : passes ? 1 : 0;
  const detail = typeof score === "number" ? ` with a score of ${score}` : "";
  return success({
    pass: passes,
    score: scored,
    message:
      typeof message === "string" && message !== ""
        ? message
        : `${name} ${passes ? "passes" : "fails"} the trial${detail}`,
  });
}

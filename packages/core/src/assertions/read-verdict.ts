import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { preview } from "../values/preview.js";
import type { AssertionOutcome } from "./assertion-result.js";

/** A score alone passes from here on. */
const passingScore = 0.5;

/**
 * Reads what a user's own check returned: a boolean, a score, or an object with `pass` or `score` and a `message`.
 * Fails with what is wrong with it.
 */
export function readVerdict(returned: unknown, name: string): Result<AssertionOutcome, string> {
  if (typeof returned === "boolean") return success(toOutcome(name, returned));
  if (typeof returned === "number") return readFields({ score: returned }, name);
  if (!isRecord(returned)) return failure(`it must be a boolean, a score or an object, but it is ${preview(returned)}`);
  return readFields(returned, name);
}

function readFields(verdict: Record<string, unknown>, name: string): Result<AssertionOutcome, string> {
  const { pass, score, message } = verdict;
  if (score !== undefined && !isScore(score)) {
    return failure(`a score must be a number from 0 to 1, but it is ${preview(score)}`);
  }
  if (pass !== undefined && typeof pass !== "boolean") {
    return failure(`"pass" must be true or false, but it is ${preview(pass)}`);
  }
  if (message !== undefined && typeof message !== "string") {
    return failure(`"message" must be a string, but it is ${preview(message)}`);
  }
  const passes = pass ?? (score === undefined ? undefined : score >= passingScore);
  if (passes === undefined) return failure(`an object needs "pass" or "score", but it is ${preview(verdict)}`);
  return success(toOutcome(name, passes, score, message));
}

function toOutcome(name: string, pass: boolean, score?: number, message?: string): AssertionOutcome {
  const detail = score === undefined ? "" : ` with a score of ${score}`;
  const said =
    message === undefined || message === "" ? `${name} ${pass ? "passes" : "fails"} the trial${detail}` : message;
  return { pass, score: score ?? (pass ? 1 : 0), message: said };
}

function isScore(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

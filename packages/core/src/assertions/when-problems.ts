import { didYouMean } from "../values/nearest-name.js";
import { isRecord } from "../values/json.js";
import type { AssertionProblem } from "./parsed-assertion.js";
import { trialViewKeys } from "./trial-view.js";

type Path = readonly (string | number)[];

/** Operators whose operands are matchers over the same value. */
const transparent = new Set(["$all_of", "$one_of", "$not", "$optional"]);

/** What is wrong with a `when` beyond its matchers: it is not an object, or it names what a trial does not have. */
export function whenProblems(when: unknown, path: Path = ["when"]): readonly AssertionProblem[] {
  if (!isRecord(when)) {
    return [{ path, message: `"when" must be an object`, hint: `Such as { finish_reason: stop }` }];
  }
  return Object.entries(when).flatMap(([key, value]): readonly AssertionProblem[] => {
    if (key.startsWith("$")) return transparent.has(key) ? insideOperator(value, [...path, key]) : [];
    if (trialViewKeys.some((known) => known === key)) return [];
    const hint = didYouMean(key, trialViewKeys) ?? `Valid keys: ${trialViewKeys.join(", ")}`;
    return [{ path: [...path, key], message: `Unknown key "${key}"`, hint, atKey: true }];
  });
}

function insideOperator(value: unknown, path: Path): readonly AssertionProblem[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (isRecord(item) ? whenProblems(item, [...path, index]) : []));
  }
  return isRecord(value) ? whenProblems(value, path) : [];
}

/** The fields of the trial that a `when` names at its top. */
export function fieldsOfWhen(when: unknown): readonly string[] {
  return isRecord(when) ? Object.keys(when).filter((key) => !key.startsWith("$")) : [];
}

import { didYouMean } from "../values/nearest-name.js";
import type { AssertionProblem } from "./parsed-assertion.js";

/** The problem of a key that an assertion does not take. */
export function unknownKey(key: string, known: readonly string[]): AssertionProblem {
  const hint = didYouMean(key, known) ?? `Valid keys: ${known.join(", ")}`;
  return { path: [key], message: `Unknown key "${key}"`, hint, atKey: true };
}

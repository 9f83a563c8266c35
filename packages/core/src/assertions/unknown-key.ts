import { didYouMean } from "../values/nearest-name.js";
import { ourWord } from "../values/foreign-words.js";
import type { AssertionProblem } from "./parsed-assertion.js";
import { findAssertion } from "./registry.js";

/** The problem of a key that an assertion does not take. */
export function unknownKey(key: string, known: readonly string[]): AssertionProblem {
  const hint = didYouMean(key, known) ?? `Valid keys: ${known.join(", ")}`;
  return { path: [key], message: `Unknown key "${key}"`, hint, atKey: true };
}

/** What other tools call otherwise; `not-` in front of it is `not: true` here. */
export function wordOfOthers(type: string): string | undefined {
  const [, not = "", word = ""] = /^(not[-_])?(.*)$/i.exec(type) ?? [];
  const ours = ourWord("assertion", word);
  const example = ours === null ? undefined : findAssertion(ours)?.example;
  if (ours === null || example === undefined) return undefined;
  return `Use ${ours}: ${not === "" ? example : example.replace(/ \}$/, ", not: true }")}.`;
}

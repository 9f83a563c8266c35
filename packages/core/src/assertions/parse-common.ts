import { parseWith } from "../schema-parts/parse-with.js";
import { failure, success, type Result } from "../result.js";
import { commonKeys, commonOptions } from "./common-options.js";
import type { AssertionProblem, ParsedAssertion } from "./parsed-assertion.js";
import { whenProblems } from "./when-problems.js";

export type CommonParts = Omit<Extract<ParsedAssertion, { form: "group" }>, "form" | "type" | "required" | "members">;

const defaults: CommonParts = { not: false, weight: 1, when: null };

/** Reads the keys that every assertion takes and leaves the others alone. */
export function parseCommon(raw: Record<string, unknown>): Result<CommonParts, readonly AssertionProblem[]> {
  const present = commonKeys.filter((key) => Object.hasOwn(raw, key));
  // Most assertions have none, and those of a dataset are parsed once per case.
  if (present.length === 0) return success(defaults);

  const written = Object.fromEntries(present.map((key) => [key, raw[key]]));
  const parsed = parseWith(commonOptions, written);
  const inWhen = parsed.success && parsed.data.when !== undefined ? whenProblems(raw["when"]) : [];
  if (!parsed.success) return parsed;
  if (inWhen.length > 0) return failure(inWhen);

  const { not = false, weight = 1, when = null, id, user_turn: userTurn } = parsed.data;
  const parts: CommonParts = { not, weight, when };
  if (id !== undefined) parts.id = id;
  if (userTurn !== undefined) parts.userTurn = userTurn;
  return success(parts);
}

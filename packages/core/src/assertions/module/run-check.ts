import type { RunAction } from "../../modules/module-action.js";
import { moduleFailure, runUserCode } from "../../modules/module-failure.js";
import type { Result } from "../../result.js";
import { deepFreeze } from "../../values/deep-freeze.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { readVerdict } from "../read-verdict.js";
import type { CheckInput } from "./check-action.js";
import type { Check } from "./define-check.js";

/** Calls a check inside the worker. The trial is frozen: a check that would change it is in error, and says so. */
export const runCheck: RunAction<CheckInput, Result<AssertionOutcome, string>> = async (input, scope) => {
  const { trial, options, name } = deepFreeze(input);
  const loaded = await scope.load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  const check = loaded.data;
  if (!isCheck(check)) return moduleFailure("unfit", "is not a function");
  const returned = await runUserCode(() => check(trial, options));
  if (!returned.success) return returned;
  // Read here, because what was returned may be more than data. It may throw when it is looked at.
  return runUserCode(() => readVerdict(returned.data, name));
};

function isCheck(value: unknown): value is Check {
  return typeof value === "function";
}

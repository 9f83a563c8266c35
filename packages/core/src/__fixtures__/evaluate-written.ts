import {
  evaluateAssertion,
  type AssertionEnvironment,
  type EvaluateAssertionOptions,
} from "../assertions/evaluate-assertion.js";
import type { AssertionResult } from "../assertions/assertion-result.js";
import type { AssertionConfig } from "../generated/config-types.js";
import type { Result } from "../result.js";
import type { Trial } from "../transcript/trial.js";

export { assertionTypes } from "../assertions/registry.js";

/** Evaluates what may not be a valid assertion, in an empty environment. */
export function evaluateWritten(
  written: unknown,
  trial: Trial,
  {
    models,
    timeoutMs,
    ...environment
  }: Pick<EvaluateAssertionOptions, "models" | "timeoutMs"> & AssertionEnvironment = {},
): Promise<Result<AssertionResult>> {
  return evaluateAssertion(
    { assertion: written as AssertionConfig, trial, models, timeoutMs },
    { env: {}, ...environment },
  );
}

import type { Diagnostic } from "../errors/error-table.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { AssertionConfig } from "../generated/config-types.js";
import { createProcessRunner } from "../processes/node-process-runner.js";
import { failure, type Result } from "../result.js";
import type { Trial } from "../transcript/trial.js";
import { createSystemClock, type Clock } from "../values/clock.js";
import { renderPath } from "../values/preview.js";
import { processDefaults } from "../values/process-defaults.js";
import type { AssertionResult } from "./assertion-result.js";
import { createAssertionContext } from "./create-context.js";
import { evaluateParsed } from "./evaluate-parsed.js";
import { noModels, type ModelPorts } from "./model-ports.js";
import { parseAssertion } from "./parse-assertion.js";
import type { AssertionProblem } from "./parsed-assertion.js";

// Apart from evaluateParsed, since the declarations of the package must not reach the types of zod, which it takes in.

export interface EvaluateAssertionOptions {
  /** One entry of `assert:`, such as `{ type: "contains", value: "refund" }`. */
  assertion: AssertionConfig;
  /** The conversation. It needs only what the assertion reads. */
  trial: Trial;
  /** Calls the judges and embedding models that assertions name. Default: no model can be called. */
  models?: Partial<ModelPorts>;
  /** Milliseconds that your own function or program may take. Default: 60,000. */
  timeoutMs?: number;
}

/** What a caller can pass in. */
export interface AssertionEnvironment {
  /** Folder that paths in the assertion are relative to. Default: the working folder of the process. */
  cwd?: string;
  /** Environment of programs that the assertion runs. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system clock. */
  clock?: Clock;
  signal?: AbortSignal;
}

/**
 * Evaluates one assertion on a trial from any source. Models are called through `models` only. An assertion that fails
 * is a success with `pass: false`.
 *
 * Fails with CONFIG_VALIDATION_ERROR, with diagnostics, if the assertion is not valid; with SCHEMA_FILE_ERROR if its
 * JSON Schema is missing or does not compile; with ASSERTION_EVAL_ERROR if it could not be evaluated, such as on a trial
 * that lacks a field; and with JUDGE_EVAL_ERROR if a judge gives no usable reply. Never rejects.
 */
export async function evaluateAssertion(
  { assertion, trial, models, timeoutMs }: EvaluateAssertionOptions,
  { clock = createSystemClock(), signal, ...given }: AssertionEnvironment = {},
): Promise<Result<AssertionResult>> {
  const { env, cwd } = processDefaults(given);
  const parsed = parseAssertion(assertion, cwd);
  if (!parsed.success) {
    const diagnostics = parsed.error.map(toDiagnostic);
    const message = diagnostics.map((diagnostic) => diagnostic.message).join("; ");
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", message, { details: { diagnostics } }));
  }
  const context = createAssertionContext({
    env,
    clock,
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    processes: createProcessRunner(clock),
    models: { ...noModels, ...models },
  });
  return evaluateParsed(parsed.data, trial, context);
}

/** There is no file to point into, so the message contains the path if it is more than one key. */
function toDiagnostic({ path, message, hint }: AssertionProblem): Diagnostic {
  const place = path.length > 1 ? ` at ${renderPath(path)}` : "";
  const diagnostic: Diagnostic = { code: "CONFIG_VALIDATION_ERROR", severity: "error", message: `${message}${place}` };
  if (hint !== undefined) diagnostic.hint = hint;
  return diagnostic;
}

import type { Diagnostic } from "../errors/diagnostic.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { createProcessRunner } from "../processes/node-process-runner.js";
import { failure, type Result } from "../result.js";
import type { Trial } from "../transcript/trial.js";
import { createSystemClock } from "../values/clock.js";
import { renderPath } from "../values/preview.js";
import type { AssertionResult } from "./assertion-result.js";
import { createAssertionContext } from "./create-context.js";
import { evaluateParsed } from "./evaluate-parsed.js";
import { noModels, type ModelPorts } from "./model-ports.js";
import { parseAssertion } from "./parse-assertion.js";
import type { AssertionProblem } from "./parsed-assertion.js";

export interface EvaluateAssertionOptions {
  /** Folder that paths in the assertion are relative to. Default: the working folder. */
  baseDir?: string;
  signal?: AbortSignal;
  /** Environment of programs that the assertion runs. Default: empty. */
  env?: Readonly<Record<string, string | undefined>>;
  /** What asks the judges and embedding models that assertions name. Default: none can be asked. */
  models?: Partial<ModelPorts>;
  /** Milliseconds that a user's own function or program may take. Default 60,000. */
  timeoutMs?: number;
}

/**
 * Evaluates one assertion, written as under `assert:` in a config, on a trial that may come from anywhere. The trial
 * needs only what the assertion reads. No model is called but through `models`.
 *
 * Fails with CONFIG_VALIDATION_ERROR (with diagnostics) when `config` is no valid assertion, with SCHEMA_FILE_ERROR when
 * its JSON Schema is missing or does not compile, and with ASSERTION_EVAL_ERROR when it could not be evaluated, such as
 * on a trial that lacks what it reads, and with JUDGE_EVAL_ERROR when a judge gives no usable reply. An assertion that fails is a success with `pass: false`. Never rejects.
 */
export async function evaluateAssertion(
  config: unknown,
  trial: Trial,
  { baseDir = ".", models, ...limits }: EvaluateAssertionOptions = {},
): Promise<Result<AssertionResult>> {
  const parsed = parseAssertion(config, baseDir);
  if (!parsed.success) {
    const diagnostics = parsed.error.map(toDiagnostic);
    const message = diagnostics.map((diagnostic) => diagnostic.message).join("; ");
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", message, { details: { diagnostics } }));
  }
  const clock = createSystemClock();
  const context = createAssertionContext({
    ...limits,
    clock,
    processes: createProcessRunner(clock),
    models: { ...noModels, ...models },
  });
  return evaluateParsed(parsed.data, trial, context);
}

/** There is no file to point into, so the path stands in the message where it is more than one key. */
function toDiagnostic({ path, message, hint }: AssertionProblem): Diagnostic {
  const place = path.length > 1 ? ` at ${renderPath(path)}` : "";
  const diagnostic: Diagnostic = { code: "CONFIG_VALIDATION_ERROR", severity: "error", message: `${message}${place}` };
  if (hint !== undefined) diagnostic.hint = hint;
  return diagnostic;
}

import type { RunAction } from "../modules/module-action.js";
import { moduleFailure, runUserCode } from "../modules/module-failure.js";
import { success } from "../result.js";
import { deepFreeze } from "../values/deep-freeze.js";
import { isRecord } from "../values/json.js";
import { toJsonValue } from "../values/to-json.js";
import type { CompleteCall, ProviderFault } from "./define-provider.js";
import type { CompleteInput, CompleteOutcome } from "./extension-action.js";

/** Makes a request of a provider, inside the worker. What it throws becomes data, because errors lose their fields. */
export const runProvider: RunAction<CompleteInput, CompleteOutcome> = async ({ request, context }, scope) => {
  const loaded = await scope.load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  const complete = loaded.data;
  if (!isComplete(complete)) return moduleFailure("unfit", "is not a provider");
  const [call, rest] = deepFreeze([request, context] as const);
  const answered = await runUserCode(async () => toJsonValue(await complete(call, { ...rest, signal: scope.signal })));
  if (answered.success) return success({ answer: answered.data });
  const { message, cause } = answered.error;
  return success({ threw: message, fault: faultOf(cause) });
};

function faultOf(cause: unknown): ProviderFault {
  const { status, retryable, retryAfterMs } = isRecord(cause) ? cause : {};
  const fault: ProviderFault = {};
  if (typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600) fault.status = status;
  if (typeof retryable === "boolean") fault.retryable = retryable;
  if (typeof retryAfterMs === "number" && retryAfterMs >= 0 && retryAfterMs < Infinity) {
    fault.retryAfterMs = retryAfterMs;
  }
  return fault;
}

function isComplete(value: unknown): value is CompleteCall {
  return typeof value === "function";
}

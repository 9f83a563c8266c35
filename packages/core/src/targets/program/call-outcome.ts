import type { ToolInvocation } from "../../tools/tool-runtime.js";
import type { TrialToolCall } from "../../transcript/trial.js";

export function writeOutcome(record: TrialToolCall, outcome: ToolInvocation["outcome"]): void {
  if (!outcome.ok) record.error = outcome.failure;
  else if (outcome.value !== undefined) record.result = outcome.value;
}

export function outcomeOf({ error, result: value }: TrialToolCall): ToolInvocation["outcome"] {
  return error === undefined || error === null ? { ok: true, value } : { ok: false, failure: error };
}

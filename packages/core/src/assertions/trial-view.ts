import { argsOf } from "../transcript/args-of.js";
import type { Trial, TrialToolCall } from "../transcript/trial.js";

/** The names by which `when` may read a trial. */
export const trialViewKeys = [
  "output",
  "tool_calls",
  "turns",
  "latency_ms",
  "cost_usd",
  "finish_reason",
  "usage",
  "fault",
  "stopped_by",
] as const;

type TrialView = Partial<Record<(typeof trialViewKeys)[number], unknown>>;

/** A trial as `when` reads it: in snake_case, like the config. What the trial lacks is left out. */
export function trialView(trial: Trial): TrialView {
  const view: TrialView = {};
  if (trial.output !== undefined) view.output = trial.output;
  if (trial.toolCalls !== undefined) view.tool_calls = trial.toolCalls.map(callView);
  if (trial.turns !== undefined) view.turns = trial.turns;
  if (trial.latencyMs !== undefined) view.latency_ms = trial.latencyMs;
  if (trial.costUsd !== undefined) view.cost_usd = trial.costUsd;
  if (trial.finishReason !== undefined) view.finish_reason = trial.finishReason;
  if (trial.fault !== undefined) view.fault = trial.fault;
  if (trial.stoppedBy !== undefined) view.stopped_by = trial.stoppedBy;
  if (trial.usage) {
    view.usage = { input_tokens: trial.usage.inputTokens, output_tokens: trial.usage.outputTokens };
  } else if (trial.usage === null) {
    view.usage = null;
  }
  return view;
}

function callView(call: TrialToolCall): Record<string, unknown> {
  const view: Record<string, unknown> = { tool: call.tool, args: argsOf(call) };
  const agent = call.delegates?.join(" > ") ?? call.agent;
  if (agent !== undefined) view["agent"] = agent;
  if (call.result !== undefined) view["result"] = call.result;
  if (call.error !== undefined) {
    const { errorType, message, retryable } = call.error;
    view["error"] = { error_type: errorType, message, retryable };
  }
  return view;
}

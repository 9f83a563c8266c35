import { success, type Result } from "../../result.js";
import { argsOf } from "../../transcript/args-of.js";
import type { Trial, TrialToolCall } from "../../transcript/trial.js";
import { previewCall } from "../../values/preview.js";
import { missingField } from "../assertion-failure.js";

const shown = 5;

/** The tool calls of a trial. */
export function readToolCalls(trial: Trial, type: string): Result<readonly TrialToolCall[]> {
  return trial.toolCalls === undefined ? missingField(type, "toolCalls") : success(trial.toolCalls);
}

/** The calls as data for `actual`, without what is not of interest. */
export function callData({
  tool,
  args,
  exactIntegers,
  result,
  error,
  delegates,
  agent = delegates?.join(" > "),
}: TrialToolCall): Record<string, unknown> {
  return {
    tool,
    ...(agent === undefined ? {} : { agent }),
    args,
    ...(exactIntegers === undefined ? {} : { exactIntegers }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error: { errorType: error.errorType, message: error.message } }),
  };
}

/** The same with the turn, and with whether an error allowed another try. */
export function placedCallData(call: TrialToolCall): Record<string, unknown> {
  const { turn, error } = call;
  return {
    ...(turn === undefined ? {} : { turn }),
    ...callData(call),
    ...(error === undefined
      ? {}
      : { error: { errorType: error.errorType, retryable: error.retryable, message: error.message } }),
  };
}

export function describeCall(call: TrialToolCall, max = 80): string {
  const { tool, delegates } = call;
  const shownCall = previewCall(tool, argsOf(call), max);
  return delegates === undefined ? shownCall : `${shownCall} by the sub-agent ${delegates.join(" > ")}`;
}

/** Such as `get_weather (2 times) and cancel_order`. */
export function describeTools(calls: readonly TrialToolCall[]): string {
  const counts = new Map<string, number>();
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const names = [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} (${count} times)`));
  return names.length > shown
    ? `${names.slice(0, shown).join(", ")} and ${names.length - shown} more`
    : joinNames(names, "and");
}

/** The tools in the order of their steps, such as `get_weather → [lookup, cancel_order]`; those of one step in brackets. */
export function describeSteps(steps: readonly (readonly TrialToolCall[])[]): string {
  const count = steps.reduce((sum, step) => sum + step.length, 0);
  const names: string[] = [];
  let room = 12;
  for (const step of steps) {
    if (room === 0) break;
    const shownCalls = step.slice(0, room).map(({ tool }) => tool);
    room -= shownCalls.length;
    const rest = step.length > shownCalls.length ? ", …" : "";
    names.push(step.length === 1 ? shownCalls.join("") : `[${shownCalls.join(", ")}${rest}]`);
  }
  return count > 12 ? `${names.join(" → ")} → … (${count} calls)` : names.join(" → ");
}

export function joinNames(names: readonly string[], word: "and" | "or"): string {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}` : (names[0] ?? "");
}

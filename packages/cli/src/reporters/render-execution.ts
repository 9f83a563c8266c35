import type { TestResult } from "@kindlm/core";
import { describeExecution, type Execution, plural, withCounts } from "@kindlm/core/program";

/** How a case came to its result, in words such as `after 2 nudges`. */
export interface ExecutionText {
  /** About its trials; empty if all ran and ended alike. */
  trials: string;
  /** The model that answered in place of the one under test; null if none did. */
  fallback: string | null;
  /** What else its agent did not do by itself. */
  help: readonly string[];
}

export function renderExecution(test: TestResult): ExecutionText {
  const trials: string[] = [];
  const help: string[] = [];
  let fallback: string | null = null;
  for (const one of describeExecution(test)) {
    if (one.kind === "fallback") fallback = one.model;
    else if (one.kind === "mixed" || one.kind === "ended_early") trials.push(textOf(one));
    else help.push(textOf(one));
  }
  return { trials: trials.join(", "), fallback, help };
}

function textOf(one: Exclude<Execution, { kind: "fallback" }>): string {
  switch (one.kind) {
    case "mixed":
      return withCounts`${one.passes} of ${one.trials} runs passed (needs ${one.required})`;
    case "ended_early":
      return withCounts`ended early after ${one.trials} of ${one.runs} runs`;
    case "nudged":
      return `after ${plural(one.nudges, "nudge")}${one.runs > 1 ? withCounts` in ${one.trials} of ${one.runs} runs` : ""}`;
    case "tool_fallback":
      return `${plural(one.calls, "tool call")} answered by a tool's fallback`;
  }
}

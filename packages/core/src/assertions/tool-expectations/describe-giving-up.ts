import type { Trial, TrialToolCall } from "../../transcript/trial.js";
import { preview } from "../../values/preview.js";
import { describeTools } from "./made-calls.js";
import { plural } from "../../values/plural.js";

/** What the agent did instead of trying on, such as `no tool was called after it; the agent answered "Sorry."`. */
export function describeGivingUp(after: readonly TrialToolCall[], { output = "" }: Trial): string {
  const called =
    after.length === 0
      ? "no tool was called after it"
      : `only ${plural(after.length, "other call")} came after it: ${describeTools(after)}`;
  return output.trim() === "" ? called : `${called}; the agent answered ${preview(output.trim(), 80)}`;
}

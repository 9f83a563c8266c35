import { defineGate } from "../define-gate.js";
import { growthGate, limitGrowth } from "../limit-growth.js";

export const toolCallsIncrease = defineGate({
  ...growthGate,
  name: "tool_calls_increase",
  keptAs: "toolCallsIncrease",
  summary:
    "Highest growth of the tool calls of a trial against the baseline in any suite, in percent; growth within chance passes.",
  limitsOf: (most) => limitGrowth("tool_calls", most),
});

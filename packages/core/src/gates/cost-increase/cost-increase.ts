import { defineGate } from "../define-gate.js";
import { growthGate, limitGrowth } from "../limit-growth.js";

export const costIncrease = defineGate({
  ...growthGate,
  name: "cost_increase",
  keptAs: "costIncrease",
  summary:
    "Highest growth of the cost of a trial against the baseline in any suite, in percent; growth within chance passes.",
  limitsOf: (most) => limitGrowth("cost", most),
});

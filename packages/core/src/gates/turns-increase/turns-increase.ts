import { defineGate } from "../define-gate.js";
import { growthGate, limitGrowth } from "../limit-growth.js";

export const turnsIncrease = defineGate({
  ...growthGate,
  name: "turns_increase",
  keptAs: "turnsIncrease",
  summary:
    "Highest growth of the turns of a trial against the baseline in any suite, in percent; growth within chance passes.",
  limitsOf: (most) => limitGrowth("turns", most),
});

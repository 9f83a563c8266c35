import { defineGate } from "../define-gate.js";
import { growthGate, limitGrowth } from "../limit-growth.js";

export const tokensIncrease = defineGate({
  ...growthGate,
  name: "tokens_increase",
  keptAs: "tokensIncrease",
  summary:
    "Highest growth of the tokens of a trial against the baseline in any suite, in percent; growth within chance passes.",
  limitsOf: (most) => limitGrowth("tokens", most),
});

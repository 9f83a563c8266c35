import { defineGate } from "../define-gate.js";
import { growthGate, limitGrowth } from "../limit-growth.js";

export const latencyIncrease = defineGate({
  ...growthGate,
  name: "latency_increase",
  keptAs: "latencyIncrease",
  summary:
    "Highest growth of the latency of a trial against the baseline in any suite, in percent; growth within chance passes.",
  limitsOf: (most) => limitGrowth("latency", most),
});

import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atLeast } from "../gate-limit.js";

export const judgeAvg = defineGate({
  name: "judge_avg",
  keptAs: "judgeAvg",
  summary:
    "Least mean score of all judge assertions, over all trials and within groups. Fails if no judge gave a score.",
  examples: [0.8],
  schema: z.number().min(0).max(1),
  // A test whose judge is content may fail by any other assertion.
  readsFailures: "none",
  needsScores: true,
  limitsOf: (least) => [atLeast(least, "score", ({ judgeScore }) => judgeScore?.mean ?? null)],
});

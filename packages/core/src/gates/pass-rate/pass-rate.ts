import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atLeast } from "../gate-limit.js";

export const passRate = defineGate({
  name: "pass_rate",
  keptAs: "passRate",
  summary:
    "Least share of cases that must pass. Cases errored from outside and those with allow_failure do not count. Needs exit_on: gates.",
  examples: [0.95],
  schema: z.number().min(0).max(1),
  readsFailures: "all",
  tolerates: () => "failed",
  limitsOf: (least) => [atLeast(least, "share", ({ passRate: rate }) => rate)],
});

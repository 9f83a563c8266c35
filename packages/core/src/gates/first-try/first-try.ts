import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atLeast } from "../gate-limit.js";

export const firstTry = defineGate({
  name: "first_try",
  keptAs: "firstTry",
  summary: "Least share of cases with retry_until that must pass without a rejected answer.",
  examples: [0.8],
  schema: z.number().min(0).max(1),
  // Tests without retry_until fail unseen by it.
  readsFailures: "none",
  needsSetting: { name: "retry_until", isSet: ({ retries }) => retries !== undefined },
  needsFact: { fact: "rejections", words: "its rejected answers" },
  limitsOf: (least) => [atLeast(least, "share", ({ firstTryRate }) => firstTryRate ?? null)],
});

import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atMost } from "../gate-limit.js";

export const cost = defineGate({
  name: "cost",
  keptAs: "costUsd",
  summary: "Most US dollars that it may cost, judges and simulated users included. Fails if a price is unknown.",
  examples: [2],
  schema: z.number().min(0),
  readsFailures: "none",
  needsFact: { fact: "cost", words: "its cost" },
  limitsOf: (most) => [atMost(most, "usd", ({ costUsd }) => costUsd)],
});

import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atMost } from "../gate-limit.js";

export const errored = defineGate({
  name: "errored",
  keptAs: "errored",
  summary: "Most cases that may be errored.",
  examples: [0],
  schema: z.int().min(0),
  readsFailures: "none",
  readsErrors: true,
  tolerates: (most) => (most > 0 ? "errored" : null),
  limitsOf: (most) => [atMost(most, "count", ({ errored: count }) => count)],
});

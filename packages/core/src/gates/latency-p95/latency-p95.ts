import { durationSchema } from "../../schema-parts/duration-schema.js";
import { plural } from "../../values/plural.js";
import { defineGate } from "../define-gate.js";
import { atMost, type GatedSummary } from "../gate-limit.js";

export const latencyP95 = defineGate({
  name: "latency_p95",
  keptAs: "latencyP95Ms",
  summary: "Highest 95th percentile of the latency of trials.",
  examples: ["8s"],
  schema: durationSchema,
  readsFailures: "none",
  needsFact: { fact: "latency", words: "its latency" },
  limitsOf: (most) => [{ ...atMost(most, "ms", ({ latencyMs }) => latencyMs?.p95 ?? null), exempts }],
});

function exempts({ replayed }: GatedSummary): string | null {
  return replayed === undefined ? null : `${plural(replayed, "request")} replayed, so the current latency is unknown`;
}

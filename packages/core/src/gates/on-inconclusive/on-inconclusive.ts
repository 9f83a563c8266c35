import type { ComparedSuite } from "../../summary/comparison-result.js";
import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atMostFound } from "../gate-limit.js";

export const onInconclusive = defineGate({
  name: "on_inconclusive",
  keptAs: "onInconclusive",
  resultName: "inconclusive",
  summary:
    "Whether a comparison with the baseline that cannot decide passes or fails. In results, the gate is called inconclusive. Default: pass.",
  examples: ["fail"],
  schema: z.enum(["pass", "fail"]),
  readsFailures: "none",
  needsBaseline: true,
  limitsOf: (outcome) => (outcome === "fail" ? [{ limit: 0, find: (compared) => atMostFound(0, find(compared)) }] : []),
});

/** Suites whose comparison says neither regressed nor ok. */
function find(compared: readonly ComparedSuite[]): Parameters<typeof atMostFound>[1] {
  const open = compared.filter(({ verdict }) => verdict === "inconclusive");
  return { actual: open.length, remarks: open.map(({ suite }) => `suite "${suite}"`), tripsAnyway: false };
}

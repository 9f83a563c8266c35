import type { ComparedSuite } from "../../summary/comparison-result.js";
import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atMostFound } from "../gate-limit.js";

export const regressions = defineGate({
  name: "regressions",
  keptAs: "regressions",
  summary:
    "Most cases that may be flagged as worse than the baseline. A critical case that is worse and a suite that is regressed always fail the gate.",
  examples: [0],
  schema: z.int().min(0),
  readsFailures: "compared",
  needsBaseline: true,
  limitsOf: (most) => [{ limit: most, find: (compared) => atMostFound(most, find(compared)) }],
});

function find(compared: readonly ComparedSuite[]): Parameters<typeof atMostFound>[1] {
  const regressed = compared.filter(({ verdict }) => verdict === "regressed").map(({ suite }) => suite);
  const worse = compared.flatMap((suite) => suite.worse);
  const critical = worse.filter(({ isCritical }) => isCritical).map(({ caseId }) => caseId);
  const remarks = [
    ...regressed.map((suite) => `suite "${suite}" is regressed`),
    ...critical.map((caseId) => `critical ${caseId} is worse`),
  ];
  return { actual: worse.length, remarks, tripsAnyway: remarks.length > 0 };
}

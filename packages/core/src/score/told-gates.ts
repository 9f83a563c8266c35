import type { GateConfig } from "../config/gate-config.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { RunPlan } from "../plan/run-plan.js";
import { plural } from "../values/plural.js";
import type { TranscriptIndex } from "./index-transcripts.js";

type Untold = TranscriptIndex["untold"];
type GateKey = "costUsd" | "latencyP95Ms" | "firstTry";

/** The plan without gates on what the transcripts do not tell: they would always trip, and say nothing. */
export function withToldGates(plan: RunPlan, untold: Untold): RunPlan {
  const left = leftOut(untold);
  const told = (gates: GateConfig): GateConfig => {
    const kept = { ...gates };
    for (const { key } of left) delete kept[key];
    return kept;
  };
  const suites = plan.suites.map((suite) => {
    if (suite.status === "broken" || suite.source.gates === undefined) return suite;
    return { ...suite, source: { ...suite.source, gates: told(suite.source.gates) } };
  });
  const all = [plan.gates, ...plan.suites.flatMap((suite) => (suite.status === "ready" ? [suite.source.gates] : []))];
  const warnings = left.flatMap(({ key, name, why }): readonly Diagnostic[] => {
    if (all.every((gates) => gates?.[key] === undefined)) return [];
    const message = `The gate ${name} is not evaluated: ${why}`;
    return [{ code: "TRANSCRIPT_INVALID", severity: "warning", message }];
  });
  return { ...plan, suites, gates: told(plan.gates), warnings: [...plan.warnings, ...warnings] };
}

function leftOut({ cost, latency, firstTry }: Untold): readonly { key: GateKey; name: string; why: string }[] {
  const missing = (count: number, what: string): string => `${plural(count, "transcript")} did not tell ${what}`;
  return [
    ...(cost > 0 ? [{ key: "costUsd" as const, name: "cost", why: missing(cost, "what it cost") }] : []),
    ...(latency > 0
      ? [{ key: "latencyP95Ms" as const, name: "latency_p95", why: missing(latency, "how long it took") }]
      : []),
    ...(firstTry > 0
      ? [{ key: "firstTry" as const, name: "first_try", why: missing(firstTry, "which answers were rejected") }]
      : []),
  ];
}

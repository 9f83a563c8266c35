import type { TranscriptFact } from "../gates/define-gate.js";
import { gateDefinitions, withoutGates } from "../gates/registry.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { RunPlan } from "../plan/run-plan.js";
import { plural } from "../values/plural.js";

/** The plan without gates on what the transcripts do not tell: they would always trip, and say nothing. */
export function withToldGates(plan: RunPlan, untold: Readonly<Record<TranscriptFact, number>>): RunPlan {
  const left = Object.entries(untold).flatMap(([fact, count]) =>
    count === 0
      ? []
      : gateDefinitions.flatMap(({ name, keptAs, needsFact }) =>
          needsFact?.fact === fact
            ? [{ name, keptAs, why: `${plural(count, "transcript")} without ${needsFact.words}` }]
            : [],
        ),
  );
  const isLeft = ({ name }: { name: string }): boolean => left.some((gate) => gate.name === name);
  const suites = plan.suites.map((suite) => {
    if (suite.status === "broken" || suite.source.gates === undefined) return suite;
    return { ...suite, source: { ...suite.source, gates: withoutGates(suite.source.gates, isLeft) } };
  });
  const all = [
    plan.gates,
    ...plan.suites.flatMap((suite) => (suite.status === "ready" ? (suite.source.gates ?? []) : [])),
  ];
  const warnings = left.flatMap(({ name, keptAs, why }): readonly Diagnostic[] => {
    if (!all.some((gates) => Object.hasOwn(gates, keptAs))) return [];
    const message = `The gate ${name} is not evaluated: ${why}`;
    return [{ code: "TRANSCRIPT_INVALID", severity: "warning", message }];
  });
  return { ...plan, suites, gates: withoutGates(plan.gates, isLeft), warnings: [...plan.warnings, ...warnings] };
}

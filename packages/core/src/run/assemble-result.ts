import type { ArmComparison } from "../summary/arm-comparison.js";
import type { RunComparison } from "../summary/comparison-result.js";
import { summarize, summarizeSuites } from "../engine/summary/summarize.js";
import { routingOf } from "../engine/routing/routing-of.js";
import type { EngineOutcome } from "../engine/run.js";
import type { TrialStore } from "../engine/ports.js";
import type { RunInfo, RunResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { decideGates, warnOfGates } from "../gates/decide-gates.js";
import { decideRunVerdict } from "../verdict/decide-run-verdict.js";
import type { RunRules } from "../journal/run-file.js";
import { kindlmVersion } from "../version.js";

/** What a run, or several parts of one, found out, and what it is judged by. */
export interface RunFindings extends Omit<
  EngineOutcome,
  | "storeError"
  | "origins"
  | "paidUsd"
  | "unusedApprovals"
  | "gatewayLosses"
  | "strayedSpans"
  | "sandboxLack"
  | "ranCases"
> {
  /** IDs of the cases that have trials. */
  ranCases: Iterable<string>;
  rules: RunRules;
  info: RunInfo;
  warnings: readonly Diagnostic[];
  read: TrialStore["read"];
  /** Null when no suite has a baseline, or comparison is switched off. */
  comparison: RunComparison | null;
  /** Why nobody looked for baselines; null or absent if somebody did. */
  whyNotCompared?: string | null;
  agents: NonNullable<RunResult["agents"]>;
  /** Redacts names as the comparison does. */
  redact(text: string): string;
}

/** The result of a run: summary, gates and verdict come from its cases alone. */
export async function assembleResult(findings: RunFindings): Promise<RunResult> {
  const { suites, ranCases, rules, stoppedBy, haltedBy, info, warnings, read, comparison, agents, redact } = findings;
  const { whyNotCompared = null } = findings;
  const suiteSummaries = summarizeSuites(suites, findings.suiteTotals);
  const summary = summarize(suites, findings.totals, suiteSummaries);
  const isPart = info.shard?.suites.some(({ cases }) => cases > 0) ?? false;
  const arms = await armsIn(suites, info.seed);
  const routing = suites.flatMap((suite) => routingOf(suite) ?? []);
  // A gate is about all cases together.
  const gates = isPart
    ? []
    : decideGates(rules, { summary, suiteSummaries, comparison: comparison ?? undefined, whyNotCompared, arms });
  const question = { suites, summary, gates, rules, comparison: comparison ?? undefined, redact };
  const verdict = decideRunVerdict({ ...question, stoppedBy, haltedBy, isPart });
  return {
    kindlm: kindlmVersion,
    ...verdict,
    run: info,
    summary,
    gates,
    ...(comparison === null ? {} : { comparison }),
    ...(arms.length === 0 ? {} : { arms }),
    ...(routing.length === 0 ? {} : { routing }),
    agents,
    suites,
    suiteSummaries,
    warnings: [...warnings, ...warnOfGates(gates, whyNotCompared)],
    async *trials(caseId) {
      for (const id of caseId === undefined ? ranCases : [caseId]) yield* read(id);
    },
  };
}

/** How the arms of each suite that has any differ. */
async function armsIn(suites: RunResult["suites"], seed: number): Promise<readonly ArmComparison[]> {
  const compared: ArmComparison[] = [];
  for (const suite of suites) {
    if (suite.arms === undefined) continue;
    const { compareArms } = await import("../engine/summary/compare-arms.js");
    compared.push(compareArms(suite, suite.arms, seed));
  }
  return compared;
}

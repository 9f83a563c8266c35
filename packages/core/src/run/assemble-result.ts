import type { RunComparison } from "../summary/comparison-result.js";
import { summarize, summarizeSuites } from "../engine/summary/summarize.js";
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
  "storeError" | "origins" | "paidUsd" | "unusedApprovals" | "gatewayLosses" | "sandboxLack"
> {
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
export function assembleResult(findings: RunFindings): RunResult {
  const { suites, ranCases, rules, stoppedBy, haltedBy, info, warnings, read, comparison, agents, redact } = findings;
  const { whyNotCompared = null } = findings;
  const suiteSummaries = summarizeSuites(suites, findings.suiteTotals);
  const summary = summarize(suites, findings.totals, suiteSummaries);
  const isPart = info.shard?.suites.some(({ cases }) => cases > 0) ?? false;
  // A gate is about all cases together.
  const gates = isPart
    ? []
    : decideGates(rules, { summary, suiteSummaries, comparison: comparison ?? undefined, whyNotCompared });
  const question = { suites, summary, gates, rules, comparison: comparison ?? undefined, redact };
  const verdict = decideRunVerdict({ ...question, stoppedBy, haltedBy, isPart });
  return {
    kindlm: kindlmVersion,
    ...verdict,
    run: info,
    summary,
    gates,
    ...(comparison === null ? {} : { comparison }),
    agents,
    suites,
    suiteSummaries,
    warnings: [...warnings, ...warnOfGates(gates, whyNotCompared)],
    async *trials(caseId) {
      for (const id of caseId === undefined ? ranCases : [caseId]) yield* read(id);
    },
  };
}

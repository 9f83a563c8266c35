import type { AssertionResult } from "../assertions/assertion-result.js";
import type { TrialResult } from "../engine/run-result.js";
import type { AgentParts } from "../plan/identity/agent-parts.js";
import { hashText } from "../plan/identity/content-hash.js";
import type { Redactor } from "../redaction/redactor.js";
import type { BaselineEntry } from "./baseline.js";
import { describeCalls } from "./describe-calls.js";
import { standsForCase } from "./stands-for-case.js";
import type { RanTest } from "./usability-of.js";

export interface EntrySource {
  test: RanTest;
  trials: AsyncIterable<TrialResult>;
  /** Null where it is not known. */
  agent: AgentParts | null;
  /** Keep the answer of every case. */
  withOutputs: boolean;
}

/** Builds the saved entry of a case. Rejects if its trials cannot be read. */
export async function buildEntry(
  { test, trials, agent, withOutputs }: EntrySource,
  { redact }: Pick<Redactor, "redact">,
): Promise<BaselineEntry> {
  let standing: TrialResult | null = null;
  const scores = new Map<string, { sum: number; count: number }>();
  let needsOutput = withOutputs;
  for await (const trial of trials) {
    if (standing === null || (!standsForCase(test, standing) && standsForCase(test, trial))) standing = trial;
    addScores(scores, trial.assertions, redact);
    needsOutput ||= trial.assertions.some(isDrift);
  }
  const output = redact(standing?.output ?? "");
  return {
    caseId: redact(test.id),
    passes: test.passes,
    trials: test.counted,
    required: test.required,
    isPassed: test.status === "passed",
    ...(test.deterministic === true ? { deterministic: true } : {}),
    checkHash: test.checkHash,
    agentHash: test.agentHash,
    ...(agent === null ? {} : { agent }),
    servedBy: test.servedBy === undefined || test.servedBy === null ? null : redact(test.servedBy),
    calls: standing === null ? [] : describeCalls(standing, redact),
    outputHash: hashText(output),
    ...(needsOutput ? { output } : {}),
    scores: Object.fromEntries([...scores].map(([label, { sum, count }]) => [label, Number((sum / count).toFixed(4))])),
    costUsd: test.costUsd === null ? null : Number(test.costUsd.toPrecision(9)),
    latencyMs: Number(test.latencyMs.toFixed(1)),
  };
}

function addScores(
  scores: Map<string, { sum: number; count: number }>,
  assertions: readonly AssertionResult[],
  redact: Redactor["redact"],
): void {
  assertions.forEach(({ type, id, score, skipped, error }, index) => {
    if (skipped === true || error !== undefined) return;
    const label = `${index + 1} ${redact(id ?? type)}`;
    const { sum, count } = scores.get(label) ?? { sum: 0, count: 0 };
    scores.set(label, { sum: sum + score, count: count + 1 });
  });
}

/** It measures against the saved answer. */
function isDrift({ type, parts }: AssertionResult): boolean {
  return type === "drift" || (parts ?? []).some(isDrift);
}

import type { RunResult, TestResult } from "@kindlm/core";
import type { DigestOptions } from "../errors/digest-diagnostics.js";
import { findCauses, type ErrorCause } from "./find-causes.js";
import { findKinds, type FailureKind } from "./find-kinds.js";

interface CaseFindings {
  /** Number of its kind or of its cause. */
  kind?: number;
  cause?: number;
  /** That shows its kind; 0 if none does. */
  trial: number;
}

/** What is found out about a run for its reports. */
export interface RunFindings {
  kinds: readonly FailureKind[];
  causes: readonly ErrorCause[];
  /** Of each case with one, the number of its kind or cause, and the trial that shows it best. */
  facts: ReadonlyMap<TestResult, CaseFindings>;
}

export async function findAll(
  result: RunResult,
  { redact, digest }: { redact(text: string): string; digest?: DigestOptions },
): Promise<RunFindings> {
  const kinds = await findKinds(result, redact);
  const causes = findCauses(result, { redact, ...(digest === undefined ? {} : { digest }) });
  const facts = new Map<TestResult, CaseFindings>();
  for (const { number, cases } of kinds) for (const { test, trial } of cases) facts.set(test, { kind: number, trial });
  for (const { number, cases } of causes) for (const test of cases) facts.set(test, { cause: number, trial: 0 });
  return { kinds, causes, facts };
}

/** The trial that a case opens with; 0 if there is none. */
export function shownTrialOf(test: TestResult, { facts }: RunFindings): number {
  return facts.get(test)?.trial || (test.status === "skipped" ? 0 : test.decisiveTrial);
}

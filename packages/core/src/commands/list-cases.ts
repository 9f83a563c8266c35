import { chooseFailed } from "../run/begin-run.js";
import { completeEnvironment, type Environment } from "../run/environment.js";
import type { Diagnostic } from "../errors/error-table.js";
import { preparePlan } from "../run/prepare-plan.js";
import { success, type Result } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";

/** What `--list` shows. */
export interface CaseList {
  cases: readonly ListedCase[];
  /** What keeps suites from running. */
  diagnostics: readonly Diagnostic[];
  /** False if some cases are unknown, because a file cannot be read. */
  isWhole: boolean;
}

/** One case as `--list` shows it. */
export interface ListedCase {
  id: string;
  suite: string;
  name: string;
  model: string;
  row: string | null;
  prompt: string | null;
  /** The fault that has this case for itself; null in any other case. */
  fault: string | null;
  /** Null if its suite has no arms. */
  arm: string | null;
  tags: readonly string[];
  runs: number;
  /** Trials that the case may have to decide its comparison with the baseline; absent if no more than `runs`. */
  maxRuns?: number;
  /** Why it would not run; null when it would. */
  skip: string | null;
}

/** The cases that a run would have, in its order, and what keeps suites from running. */
export async function listCases(options: RunTestsOptions, environment: Environment = {}): Promise<Result<CaseList>> {
  const { resume: _resume, ...wanted } = options;
  const world = completeEnvironment(environment);
  const chosen = await chooseFailed(wanted, world);
  if (!chosen.success) return chosen;
  const prepared = await preparePlan(chosen.data, world);
  if (!prepared.success) return prepared;
  const { config, plan } = prepared.data;
  const listed: ListedCase[] = [];
  for (const { id, suite, test, agentId, row, prompt, fault, runs, maxRuns, skip } of plan.cases()) {
    const shared = {
      id,
      suite,
      name: test.name,
      model: agentId,
      tags: test.tags,
      runs,
      skip,
      ...(maxRuns === undefined ? {} : { maxRuns }),
    };
    listed.push({ ...shared, row: row?.key ?? null, prompt: prompt.id, fault: fault.id, arm: test.arm ?? null });
  }
  const problems = new Set<Diagnostic>();
  let isWhole = true;
  for (const broken of plan.suites) {
    if (broken.status !== "broken") continue;
    for (const diagnostic of broken.diagnostics) problems.add(diagnostic);
    // A filter may leave nothing of a suite whose cases are known.
    isWhole &&= config.suites.some(({ name, tests }) => name === broken.name && tests.length > 0);
    for (const { id, name, model, row, fault, arm, tags } of broken.cases) {
      const skip = `the suite is broken: ${broken.error.message}`;
      listed.push({ id, suite: broken.name, name, model, row, prompt: null, fault, arm, tags, runs: 1, skip });
    }
  }
  return success({ cases: listed, diagnostics: [...problems], isWhole });
}

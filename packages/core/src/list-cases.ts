import { beginRun } from "./begin-run.js";
import { completeEnvironment } from "./environment-ports.js";
import type { Environment } from "./environment.js";
import { preparePlan } from "./prepare-plan.js";
import { success, type Result } from "./result.js";
import type { RunTestsOptions } from "./run-options.js";
import type { ListedCase } from "./validate-config-report.js";

/** The cases that a run would have, in its order. */
export async function listCases(
  options: RunTestsOptions,
  environment: Environment,
): Promise<Result<readonly ListedCase[]>> {
  const { resume: _resume, ...wanted } = options;
  const begun = await beginRun(wanted, completeEnvironment(environment));
  if (!begun.success) return begun;
  const prepared = await preparePlan(begun.data.options, environment);
  if (!prepared.success) return prepared;
  const listed: ListedCase[] = [];
  for (const { id, suite, test, agentId, row, prompt, fault, runs, skip } of prepared.data.plan.cases()) {
    const shared = { id, suite, name: test.name, model: agentId, tags: test.tags, runs, skip };
    listed.push({ ...shared, row: row?.key ?? null, prompt: prompt.id, fault: fault.id });
  }
  for (const broken of prepared.data.plan.suites) {
    if (broken.status !== "broken") continue;
    for (const { id, name, model, row, fault, tags } of broken.cases) {
      const skip = `the suite is broken: ${broken.error.message}`;
      listed.push({ id, suite: broken.name, name, model, row, prompt: null, fault, tags, runs: 1, skip });
    }
  }
  return success(listed);
}

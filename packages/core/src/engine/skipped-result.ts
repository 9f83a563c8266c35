import type { PlannedCase } from "../plan/run-plan.js";
import { addGroup } from "./add-group.js";
import type { TestResult } from "./run-result.js";

/** The result of a case that was not run. */
export function skippedResult(planned: PlannedCase, reason: string): TestResult {
  const { id, suite, test, agentId, row, prompt, fault } = planned;
  const result: TestResult = {
    id,
    suite,
    name: test.name,
    model: agentId,
    row: row?.key ?? null,
    prompt: prompt.id,
    fault: fault.id,
    tags: test.tags,
    critical: test.critical,
    allowFailure: test.allowFailure,
    position: test.position,
    status: "skipped",
    reason,
  };
  addGroup(result, planned);
  return result;
}

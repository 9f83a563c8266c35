import type { PlannedCase } from "../plan/run-plan.js";

export function addGroup(result: object, { test }: PlannedCase): void {
  if (test.group !== null) Object.assign(result, { group: test.group });
  if (test.arm !== undefined) Object.assign(result, { arm: test.arm });
}

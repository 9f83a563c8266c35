import type { Diagnostic } from "../../errors/error-table.js";
import type { PlannedCase } from "../../plan/run-plan.js";
import type { Approval } from "../../tools/permissions/permission-schema.js";
import { everyCall } from "../../transcript/delegated-calls.js";
import type { TrialResult } from "../run-result.js";

interface SeenList {
  suite: string;
  tests: Set<string>;
  /** From 1. */
  used: Set<number>;
  /** A trial did not come to its end, so any entry may have been meant for what it did not reach. */
  isCutShort: boolean;
}

/** Which entries of `approvals` answered a call. Tests that share the list of their suite are taken together. */
export class UnusedApprovals {
  readonly #seen = new Map<readonly Approval[], SeenList>();

  add({ suite, test }: Pick<PlannedCase, "suite" | "test">, { status, toolCalls }: TrialResult): void {
    const { approvals = [], name } = test;
    if (approvals.length === 0) return;
    const seen = this.#seen.get(approvals) ?? { suite, tests: new Set(), used: new Set(), isCutShort: false };
    this.#seen.set(approvals, seen);
    seen.tests.add(name);
    seen.isCutShort ||= status === "errored";
    for (const { permission } of everyCall(toolCalls))
      if (permission?.approval !== undefined) seen.used.add(permission.approval);
  }

  /** One for each entry that answered no call in any trial. */
  warnings(): readonly Diagnostic[] {
    return [...this.#seen].flatMap(([approvals, { suite, tests, used, isCutShort }]) => {
      if (isCutShort) return [];
      const [test] = tests;
      const where = tests.size === 1 ? `test "${suite}/${test}"` : `suite "${suite}"`;
      return approvals.flatMap(({ tool, decision }, index): Diagnostic[] => {
        if (used.has(index + 1)) return [];
        const message = `Entry ${index + 1} of approvals of ${where} (${decision} ${tool}) answered no call`;
        const hint = "Remove it, or check its tool and args, and whether such calls need an approval";
        return [{ code: "ENGINE_FIXTURE_ERROR", severity: "warning", message, hint }];
      });
    });
  }
}

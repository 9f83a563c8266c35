import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import type { OnToolError } from "../../tools/on-tool-error-schema.js";
import type { Limits } from "../resolved-config.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import { report, type Section } from "../source/section.js";
import type { PreparedAssertion } from "./prepare-assertions.js";
import type { TestScope } from "./test-scope.js";

/** They ask for a call after the error, which there never is when the error ends the trial. */
const recoveries = new Set(["recovers_from", "fixes_arguments"]);

/** A call that fails, an answer, and an answer to the nudge. */
const turnsOfNudge = 3;

/** `on_tool_error` of the nearest level that has it. Settings that make no sense with it are reported. */
export function resolveOnToolError(
  section: Section,
  test: WrittenTest,
  { suite, section: suiteSection }: Pick<TestScope, "suite" | "section">,
  assertions: readonly PreparedAssertion[],
  { maxTurns }: Limits,
): OnToolError {
  const onToolError = (test.on_tool_error === undefined ? suite.on_tool_error : test.on_tool_error) ?? null;
  if (onToolError === null) return null;
  if (onToolError === "fail") {
    for (const { template, section: at } of assertions) {
      const recovery = template.parsed === null ? undefined : findRecovery(template.parsed);
      if (recovery === undefined) continue;
      report(
        { ...at, findings: section.findings },
        {
          path: [],
          message: `"${recovery}" cannot pass: "on_tool_error: fail" ends the trial at the first tool error`,
          hint: "Use on_tool_error: continue in this test, or take the assertion away",
        },
      );
    }
    return onToolError;
  }
  if (maxTurns < turnsOfNudge) {
    const level = test.on_tool_error === undefined ? { ...suiteSection, findings: section.findings } : section;
    report(level, {
      path: ["on_tool_error"],
      message: `No nudge is ever sent: a failed call and an answer take 2 turns, and "max_turns" is ${maxTurns}`,
      hint: `Raise limits.max_turns to ${turnsOfNudge} or more`,
    });
  }
  return onToolError;
}

/** One that must pass: not a member that others may replace, and not one that `when` may skip. */
function findRecovery(assertion: ParsedAssertion): string | undefined {
  if (assertion.not || assertion.when !== null) return undefined;
  if (assertion.form === "check") return recoveries.has(assertion.type) ? assertion.type : undefined;
  if (assertion.required < assertion.members.length) return undefined;
  return assertion.members.map(findRecovery).find((type) => type !== undefined);
}

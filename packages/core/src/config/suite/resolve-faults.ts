import type { FaultPlan } from "../../tools/faults/fault.js";
import type { Limits, ResolvedTest } from "../resolved-config.js";
import type { WrittenSuite, WrittenTest } from "../schema/suite-schema.js";
import type { Section } from "../source/section.js";
import { checkFaults } from "./check-faults.js";
import type { TemplateText } from "./check-placeholders.js";
import type { KnownTools } from "./resolve-tools.js";
import type { TestScope } from "./test-scope.js";

/** The faults of the nearest level that lists some. */
export function resolveFaults(
  section: Section,
  test: WrittenTest,
  { suite, section: suiteSection, tools }: Pick<TestScope, "suite" | "section"> & { tools: KnownTools },
  { maxToolCalls }: Limits,
): FaultPlan | null {
  const faults = test.faults ?? suite.faults ?? null;
  if (faults === null) return null;
  const level = test.faults === undefined ? { ...suiteSection, findings: section.findings } : section;
  checkFaults(level, faults, { tools, maxToolCalls });
  return faults;
}

export function resolveState(test: WrittenTest, suite: WrittenSuite): ResolvedTest["state"] {
  return test.state === undefined && suite.state === undefined ? null : { ...suite.state, ...test.state };
}

/** What the state of a trial begins with is filled in for its case. */
export function stateTexts(
  section: Section,
  test: WrittenTest,
  { section: suiteSection, suite }: TestScope,
): TemplateText[] {
  const levels = [
    { section, state: test.state },
    { section: suiteSection, state: suite.state },
  ];
  return levels.flatMap((level) =>
    level.state === undefined ? [] : { value: level.state, section: level.section, path: ["state"] },
  );
}

import type { TestResult } from "@kindlm/core";

/** What the agent of a case did not do by itself, such as `after 2 nudges`; empty where it had no help. */
export function describeInterventions(test: TestResult): readonly string[] {
  if (test.status === "skipped") return [];
  const { nudges, toolFallbacks, runs } = test;
  const help: string[] = [];
  if (nudges !== undefined) {
    const where = runs > 1 ? ` in ${nudges.trials} of ${runs} runs` : "";
    help.push(`after ${nudges.count === 1 ? "1 nudge" : `${nudges.count} nudges`}${where}`);
  }
  if (toolFallbacks !== undefined) {
    help.push(`${toolFallbacks === 1 ? "1 tool call" : `${toolFallbacks} tool calls`} answered by a tool's fallback`);
  }
  return help;
}

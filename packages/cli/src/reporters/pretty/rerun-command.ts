import type { RunResult, TestResult } from "@kindlm/core";
import { visibleLine } from "@kindlm/core/program";

const mostPatterns = 8;

/** The command that runs again what failed or errored; null when nothing did. */
export function renderRerunCommand(result: RunResult, command: string): string | null {
  const all = result.suites.flatMap((suite) => suite.tests);
  const again = all.filter(isOpen);
  if (again.length === 0) return null;
  if (again.length <= mostPatterns) {
    const settled = all.filter((test) => !isOpen(test)).map((test) => test.id);
    return [command, ...flags("-t", again, (test) => patternOf(test.id, settled))].join(" ");
  }
  const byTest = flags("-t", again, (test) => `${test.suite}/${test.name}`);
  if (byTest.length <= mostPatterns) return [command, ...byTest].join(" ");
  return [command, ...flags("--suite", again, (test) => test.suite)].join(" ");
}

function isOpen({ status }: TestResult): boolean {
  return status === "failed" || status === "errored";
}

/** The id itself, unless it occurs within another case's ID, or cannot be copied from a terminal. */
function patternOf(id: string, settled: readonly string[]): string {
  const isPlain = !id.startsWith("/") && visibleLine(id) === id && !settled.some((other) => other.includes(id));
  return isPlain ? id : `/^${visibleLine(id.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))}$/`;
}

function flags(flag: string, tests: readonly TestResult[], valueOf: (test: TestResult) => string): string[] {
  return [...new Set(tests.map(valueOf))].map((value) => `${flag} ${quoted(value)}`);
}

/** Quoted for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

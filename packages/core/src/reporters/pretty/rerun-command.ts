import type { RunResult, TestResult } from "../../engine/run-result.js";

const mostPatterns = 8;

/** The command that runs again what failed or errored; null when nothing did. */
export function renderRerunCommand(result: RunResult, command: string): string | null {
  const again = result.suites.flatMap((suite) =>
    suite.tests.filter((test) => test.status === "failed" || test.status === "errored"),
  );
  if (again.length === 0) return null;
  const byCase = flags("-t", again, (test) => test.id);
  if (byCase.length <= mostPatterns) return [command, ...byCase].join(" ");
  const byTest = flags("-t", again, (test) => `${test.suite}/${test.name}`);
  if (byTest.length <= mostPatterns) return [command, ...byTest].join(" ");
  return [command, ...flags("--suite", again, (test) => test.suite)].join(" ");
}

function flags(flag: string, tests: readonly TestResult[], valueOf: (test: TestResult) => string): string[] {
  return [...new Set(tests.map(valueOf))].map((value) => `${flag} ${quoted(value)}`);
}

/** Quoted for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

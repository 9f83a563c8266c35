import type { Matcher } from "../../matchers/matcher.js";
import type { ProcessOutcome } from "../../processes/process-runner.js";
import { success, type Result } from "../../result.js";
import { preview } from "../../values/preview.js";
import type { AssertionOutcome } from "../assertion-result.js";

/** What a program must do that knows nothing of KindLM, such as the tests of a project. */
export interface ExpectedOutcome {
  exitCode: number;
  /** What it prints, without the line break at the end; null for anything. */
  stdout: Matcher | null;
}

/** Any other exit code is a fail, and what the program printed is never read as a verdict. */
export function decideExpected(
  { exitCode, stdout, stderr }: Pick<ProcessOutcome, "exitCode" | "stdout" | "stderr">,
  program: string,
  expected: ExpectedOutcome,
): Result<AssertionOutcome> {
  if (exitCode !== expected.exitCode) {
    const said = tellingLine(`${stderr}\n${stdout}`);
    const message = `Expected ${program} to end with exit code ${expected.exitCode}, but it was ${exitCode}${said === "" ? "" : `: ${preview(said)}`}`;
    return success({ pass: false, score: 0, message, expected: expected.exitCode, actual: exitCode });
  }
  const printed = stdout.replace(/\r?\n$/, "");
  if (expected.stdout === null || expected.stdout.match(printed).pass) {
    return success({ pass: true, score: 1, message: `${program} ended with exit code ${exitCode}` });
  }
  const message = `Expected the output of ${program} to match ${expected.stdout.describe()}, but it is ${preview(printed)}`;
  return success({ pass: false, score: 0, message, expected: expected.stdout.source, actual: printed });
}

const complaint = /\b(?:not ok|fail(?:ed|ure)?|error|expected)\b|[✖✗✘×]/i;

/** The first line that says what is wrong: test runners end with counts and times. Else the last line. */
function tellingLine(text: string): string {
  const line = text.split("\n").find((one) => complaint.test(one));
  return line?.trim() ?? lastLine(text);
}

/** What a program said at the end; empty if it said nothing. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

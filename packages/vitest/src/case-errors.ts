import path from "node:path";
import type {
  AssertionResult,
  Diagnostic,
  ErrorCode,
  KindlmError,
  Redactor,
  SourcePosition,
  TestResult,
} from "@kindlm/core";
import { failurePosition, whyFailed } from "@kindlm/core/program";

/** A case failed: the agent did something that its assertions do not allow. The message has the lines of the reports of KindLM. */
export class CaseFailedError extends Error {
  override readonly name = "CaseFailedError";
}

/** A case has no verdict, because its trials could not be finished or evaluated. */
export class CaseErroredError extends Error {
  override readonly name = "CaseErroredError";
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode) {
    super(message);
    this.code = code;
  }
}

/** A gate of the config failed, or the run as a whole. */
export class GateFailedError extends Error {
  override readonly name = "GateFailedError";
}

/** What became of a case, with the assertions of its decisive trial. */
export interface CaseOutcome {
  test: TestResult;
  assertions: readonly AssertionResult[];
}

/** The error of a case that failed or is errored. Its only stack frame is the place in the config, which Vitest shows with its lines. */
export function errorOfCase(
  test: Extract<TestResult, { status: "failed" | "errored" }>,
  assertions: readonly AssertionResult[],
  { redactor, cwd }: { redactor: Redactor; cwd: string },
): Error {
  const options = { verbose: false, color: false, width: 80, redact: redactor.redact };
  const message = whyFailed(test, assertions, options).join("\n");
  const error =
    test.status === "failed" ? new CaseFailedError(message) : new CaseErroredError(message, test.error.code);
  return at(error, failurePosition(test, assertions), cwd);
}

/** The error of gates that failed. */
export function errorOfGates(message: string): Error {
  return at(new GateFailedError(message), null, "");
}

/** The error of a run that did not start, or of what keeps suites from running. */
export function errorOfRun(
  error: Pick<KindlmError, "code" | "message">,
  cwd: string,
  diagnostics: readonly Diagnostic[],
): Error {
  const problems = diagnostics.filter(({ severity }) => severity === "error");
  const lines = problems.map(({ message, hint, position, path: key }) => {
    const line = position === undefined ? [] : [`${position.file}:${position.line}`];
    const place = [...line, ...(key === undefined ? [] : [key])].join(" · ");
    return [message, ...(hint === undefined ? [] : [`  ${hint}`]), ...(place === "" ? [] : [`  ${place}`])].join("\n");
  });
  const message = lines.length === 0 ? error.message : lines.join("\n");
  return at(new CaseErroredError(message, error.code), problems[0]?.position ?? null, cwd);
}

function at<E extends Error>(error: E, position: SourcePosition | null, cwd: string): E {
  const frame =
    position === null ? "" : `\n    at ${path.resolve(cwd, position.file)}:${position.line}:${position.column}`;
  error.stack = `${error.name}: ${error.message}${frame}`;
  return error;
}

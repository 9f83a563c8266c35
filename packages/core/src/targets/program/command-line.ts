import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { systemCodeOf } from "../../files/store-error.js";
import type { ProcessOutcome, ProcessRequest, ProcessRunner } from "../../processes/process-runner.js";
import { targetError } from "./target-error.js";

/** A program that is ready to be started, except for its input. */
export interface CommandLine {
  command: readonly [string, ...string[]];
  /** Whether the arguments hold the user's message. */
  hasInput: boolean;
  run(talk: Pick<ProcessRequest, "stdin" | "signal" | "converse">): ReturnType<ProcessRunner["run"]>;
}

/** Enough to see a stack trace. */
export const stderrBytes = 8 * 1024;

/** Nothing was tested where the program is not there. */
export function startError({ message, cause }: { message: string; cause: Error }): KindlmError {
  const isMissing = ["ENOENT", "EACCES", "ENOTDIR"].includes(systemCodeOf(cause) ?? "");
  return targetError(isMissing ? "not_found" : "unexpected", message, cause);
}

export function crashOf(outcome: ProcessOutcome, program: string, when: string): KindlmError {
  const { exitCode, signal, stderr } = outcome;
  const how = exitCode === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  const said = tellingLine(stderr);
  const message = `${program} ${how} ${when}${said === "" ? "" : `: ${said.slice(0, 200)}`}`;
  return kindlmError("TARGET_ERROR", message, { details: { kind: "unexpected", exitCode, stderr } });
}

/** Programs name their error last, but for Node.js, which names it before its stack. */
function tellingLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const named = lines.findLast((line) => /^(Uncaught )?[\w.]*(Error|Exception)\b.*:/.test(line.trim()));
  return (named ?? lines.at(-1) ?? "").trim();
}

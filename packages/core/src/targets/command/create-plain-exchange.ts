import type { ProcessOutcome } from "../../processes/process-runner.js";
import { failure, success, type Result } from "../../result.js";
import type { ProgramAnswer, ProgramExchange, Question } from "../program/program-session.js";
import { targetError } from "../program/target-error.js";
import { crashOf, startError, type CommandLine } from "./command-line.js";

/**
 * One process for each user message: the message on stdin unless the arguments hold it, the answer on stdout. A
 * conversation is the program's own to remember, by `KINDLM_SESSION`.
 */
export function createPlainExchange(
  lineOf: (question: Question) => Result<CommandLine>,
): Omit<ProgramExchange, "restart"> {
  let stderr = "";
  return {
    async ask(question, signal) {
      const line = lineOf(question);
      if (!line.success) return line;
      const { run, command, hasInput } = line.data;
      const ran = await run({ stdin: hasInput ? "" : question.text, signal });
      if (!ran.success) return failure(startError(ran.error));
      stderr = ran.data.stderr;
      return decideAnswer(ran.data, command[0]);
    },
    close: async () => {},
    stderr: () => stderr,
  };
}

/** An exit code other than 0 is data where there is an answer all the same, and a crash where there is none. */
function decideAnswer(outcome: ProcessOutcome, program: string): Result<ProgramAnswer> {
  if (outcome.endedBy === "output") {
    return failure(targetError("malformed_message", `${program} wrote more than 10 MiB`));
  }
  const text = outcome.stdout.trim();
  const { exitCode, stdout } = outcome;
  const isCrash = exitCode === null || (exitCode !== 0 && text === "");
  if (isCrash) return failure(crashOf(outcome, program, "before it answered"));
  const finishReason = exitCode === 0 ? "stop" : `exit_code_${exitCode}`;
  return success({ text, usage: null, costUsd: null, model: null, finishReason, exitCode, stdout });
}

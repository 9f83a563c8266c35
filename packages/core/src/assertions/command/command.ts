import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { parseJson } from "../../values/parse-json.js";
import { preview } from "../../values/preview.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { readVerdict } from "../read-verdict.js";
import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { ProcessOutcome, ProcessRunner } from "../../processes/process-runner.js";
import type { Trial } from "../../transcript/trial.js";
import { renderDuration } from "../../values/duration.js";
import { withCleanup } from "../../errors/boundary.js";
import { evalError, missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import { decideExpected, lastLine, type ExpectedOutcome } from "./decide-expected.js";

interface CommandOptions {
  command: readonly [string, ...string[]];
  /** Folder of the config file. */
  cwd: string;
  /** It runs in a copy of the workspace instead. */
  inWorkspace: boolean;
  /** Null if the program decides, by its exit code and what it prints. */
  expected: ExpectedOutcome | null;
}

const type = "command";

export const command = defineAssertion<CommandOptions>({
  type,
  summary:
    "Your own program, given the trial as JSON on stdin, exits with 0 and may print a JSON object with pass or score. Exit code 1 is a fail, any other an error.",
  example: "{ type: command, command: [python3, checks/polite.py] }",
  kind: "deterministic",
  options: strictObject({
    command: z
      .tuple([z.string().min(1)], z.string())
      .describe("Program and arguments, without a shell; it runs in the folder of the config file."),
    cwd: z
      .literal("workspace")
      .optional()
      .describe("Runs it in a copy of the workspace, with the environment of the workspace."),
    exit_code: z
      .int()
      .min(0)
      .max(255)
      .optional()
      .describe(
        "It must end with this exit code: any other is a fail, and what it prints is not read as a verdict. Default with stdout: 0.",
      ),
    stdout: matcherSchema.optional().describe("What it prints must match this; the line break at the end is left out."),
  }).transform(({ command: line, cwd, exit_code: exitCode, stdout = null }): CommandOptions => {
    const expected = exitCode === undefined && stdout === null ? null : { exitCode: exitCode ?? 0, stdout };
    return { command: line, cwd: ".", inWorkspace: cwd === "workspace", expected };
  }),
  resolvePaths: ({ command: [program, ...args], ...options }, resolve) => ({
    ...options,
    // A program named by a relative path is relative to the config, not to the folder in which KindLM was started.
    command: [/^\.{1,2}[\\/]/.test(program) ? resolve(program) : program, ...args],
    cwd: resolve("."),
  }),
  async evaluate(
    { command: line, cwd, inWorkspace, expected },
    trial,
    { processes, env, signal, timeoutMs, workspace },
  ) {
    const asked = { command: line, stdin: trialAsJson(trial), timeoutMs, signal };
    const outcomeOf = async (running: ReturnType<ProcessRunner["run"]>): Promise<Result<AssertionOutcome>> => {
      const ran = await running;
      if (!ran.success) return evalError(type, ran.error.message, ran.error.cause);
      return decideOutcome(ran.data, line[0], timeoutMs, expected);
    };
    if (!inWorkspace) return outcomeOf(processes.run({ ...asked, cwd, env }));
    if (workspace === undefined) return missingField(type, "workspace");
    const copied = await workspace.copy();
    if (!copied.success) return evalError(type, copied.error.message);
    const { commands } = copied.data;
    return withCleanup(
      async () => {
        const outcome = await outcomeOf(commands.run(asked));
        return commands.brokenLimit === null ? outcome : evalError(type, commands.brokenLimit.message);
      },
      () => copied.data.remove(),
    );
  },
});

/** The trial in the form that offline scoring takes. */
function trialAsJson(trial: Trial): string {
  return JSON.stringify(trial, (key, value: unknown) => (key === "providerData" ? undefined : value));
}

function decideOutcome(
  outcome: ProcessOutcome,
  program: string,
  timeoutMs: number,
  expected: ExpectedOutcome | null,
): Result<AssertionOutcome> {
  const { exitCode, endedBy } = outcome;
  if (endedBy === "timeout") {
    return evalError(type, `${program} did not finish within ${renderDuration(timeoutMs)}`);
  }
  if (endedBy === "output") return evalError(type, `${program} wrote more than 10 MiB`);
  if (endedBy === "abort") return evalError(type, `${program} was interrupted`);
  const isTested = expected !== null && exitCode !== null;
  return isTested ? decideExpected(outcome, program, expected) : decideByVerdict(outcome, program);
}

/** The exit code decides, and what the program printed if it is a verdict. */
function decideByVerdict(outcome: ProcessOutcome, program: string): Result<AssertionOutcome> {
  const { exitCode } = outcome;
  if (exitCode !== 0 && exitCode !== 1) {
    const how = exitCode === null ? `was ended by ${outcome.signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
    const said = lastLine(outcome.stderr) || lastLine(outcome.stdout);
    return evalError(type, `${program} ${how}${said === "" ? "" : `: ${preview(said)}`}`);
  }
  const pass = exitCode === 0;
  const printed = readPrintedVerdict(outcome.stdout, program);
  if (!printed.success && pass) return evalError(type, `The output of ${program} is not a verdict: ${printed.error}`);
  if (printed.success && printed.data !== null) {
    // Many programs print what they reject, and an agent can write an object with pass: true.
    if (pass || !printed.data.pass) return success(printed.data);
    const message = `${program} ended with exit code 1, a fail, though it printed a pass; let it exit with 0 for a pass`;
    return success({ pass, score: 0, message });
  }
  const said = lastLine(outcome.stdout) || lastLine(outcome.stderr);
  const message = `${program} ended with exit code ${exitCode}${said === "" ? "" : `: ${preview(said)}`}`;
  return success({ pass, score: pass ? 1 : 0, message });
}

/**
 * The verdict in what a program printed; null if it is not a JSON object with `pass` or `score`, and the exit code
 * decides. Fails for what was meant as a verdict and cannot be read, such as a message of the agent that breaks the JSON,
 * text around it, or a Python dictionary. Ignored, it would turn a fail into a pass, since the exit code is 0.
 */
function readPrintedVerdict(stdout: string, program: string): Result<AssertionOutcome | null, string> {
  const text = stdout.trim();
  const parsed = parseJson(text);
  if (parsed.success) {
    const { data } = parsed;
    const isVerdict = isRecord(data) && (Object.hasOwn(data, "pass") || Object.hasOwn(data, "score"));
    return isVerdict ? readVerdict(data, program) : success(null);
  }
  return looksLikeVerdict(text)
    ? failure(`it must be one JSON object and nothing else, but it is ${preview(text)}`)
    : success(null);
}

function looksLikeVerdict(text: string): boolean {
  const brace = text.indexOf("{");
  return brace >= 0 && /["'](?:pass|score)["']\s{0,20}:/.test(text.slice(brace));
}

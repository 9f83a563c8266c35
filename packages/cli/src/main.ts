import { CommanderError } from "commander";
import { createProgram } from "./create-program.js";
import { commands } from "./commands/registry.js";
import type { CliEnvironment } from "./environment.js";
import type { ErrorView } from "./render-error.js";
import { explainCommanderMessage, UsageError } from "./usage-error.js";
import { wantsColor } from "./wants-color.js";

/** Runs the command line and resolves with its exit code. Never rejects. */
export async function main(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  let exitCode = 0;
  const words = withBareBail(argv);
  const program = createProgram(environment, words, (code) => {
    exitCode = code;
  });
  const printed: string[] = [];
  const configuration = {
    writeOut: (text: string) => printed.push(text),
    writeErr: (text: string) => printed.push(text),
    outputError: () => {},
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  };
  for (const command of [program, ...program.commands]) command.configureOutput(configuration);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: "user" });
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) exitCode = 0;
    else exitCode = await printFailure(cause, argv, environment);
  }
  if (exitCode === 0 && printed.length > 0) await environment.stdout.write(printed.join(""));
  return exitCode;
}

/** `--bail` alone means 1. Said here, so that no option takes an optional value that could swallow a path. */
function withBareBail(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((text, index) => (text === "--bail" && (end === -1 || index < end) ? "--bail=1" : text));
}

/** The error of whatever was thrown, on stderr. */
export async function printFailure(
  cause: unknown,
  argv: readonly string[],
  environment: CliEnvironment,
): Promise<number> {
  const { kindlmError, messageOf } = await import("@kindlm/core");
  const { renderError, renderUsageError } = await import("./render-error.js");
  const view = errorView(argv, environment);
  if (cause instanceof UsageError) {
    await environment.stderr.write(renderUsageError(cause.explanation, view));
  } else if (cause instanceof CommanderError) {
    const explanation = explainCommanderMessage(cause.message, `kindlm ${helpTopic(argv)}--help`);
    await environment.stderr.write(renderUsageError(explanation, view));
  } else {
    await environment.stderr.write(renderError(kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }), view));
  }
  return 1;
}

/** What code of the user's own left behind, on stderr: a warning, because no verdict hangs on it. */
export async function printStray(
  { cause, what }: { cause: unknown; what: string },
  argv: readonly string[],
  environment: CliEnvironment,
): Promise<void> {
  const { messageOf } = await import("@kindlm/core");
  const { renderWarning } = await import("./render-error.js");
  const view = errorView(argv, environment);
  const stack = view.verbose && cause instanceof Error ? (cause.stack ?? "").split("\n").slice(1) : [];
  const title = `A module of yours left an error behind: ${messageOf(cause)}`;
  const from = what === "" ? "" : `It comes from the ${what}. `;
  const fix = `${from}Await each promise in it, and listen for errors; the run went on`;
  await environment.stderr.write(renderWarning({ title, fix, more: stack.map((line) => line.trim()) }, view));
}

function errorView(argv: readonly string[], environment: CliEnvironment): ErrorView {
  return {
    color: wantsColor(environment, environment.stderr, !argv.includes("--no-color")),
    verbose: argv.includes("--verbose"),
  };
}

function helpTopic(argv: readonly string[]): string {
  const named = commands.find(({ name }) => argv.includes(name));
  return named === undefined ? "" : `${named.name} `;
}

import { CommanderError } from "commander";
import { dirname, relative } from "node:path";
import { arrangeWords, takesNext } from "./arguments/arrange-words.js";
import type { CommandEntry } from "./commands/command-definition.js";
import type { FlagValues, Flags } from "./commands/flag.js";
import { commands } from "./commands/registry.js";
import { globalFlags } from "./commands/shared-flags.js";
import { createProgram } from "./arguments/create-program.js";
import type { ProjectNames } from "@kindlm/core/commands/find-names";
import type { CliEnvironment } from "./environment.js";
import type { ErrorView } from "./errors/render-error.js";
import { UsageError } from "./errors/usage-error.js";
import { wantsColor } from "./terminal/wants-color.js";
import { quoteArgument } from "./arguments/quote-argument.js";

/** Runs the command line and resolves with its exit code. Never rejects. */
export async function main(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  let exitCode = 0;
  const printed: string[] = [];
  try {
    if (argv[0] === "__complete") return await completeWords(argv.slice(1), environment);
    const words = arrangeWords(argv, commands);
    const program = createProgram({
      width: (environment.stdout.columns() ?? 101) - 1,
      asTyped: environment.asTyped,
      print: (text) => printed.push(text),
      call: async (command, parsed) => {
        const { args } = parsed;
        const resumeCommand = (runId: string): string =>
          renderResumeCommand(words, { runId, flags: command.flags, program: environment.asTyped("kindlm") });
        const global = program.opts<FlagValues<typeof globalFlags>>();
        await sayWhichConfig(command, { args, flags: parsed.opts(), configs: global.config }, environment);
        const call = (others: readonly string[]): Promise<number> => main(others, environment);
        exitCode = await command.execute(parsed, { args, global, resumeCommand, call, environment });
      },
    });
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: "user" });
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) exitCode = 0;
    else exitCode = await printFailure(cause, argv, environment);
  }
  if (exitCode === 0 && printed.length > 0) await environment.stdout.write(printed.join(""));
  return exitCode;
}

/** Answers the scripts of `kindlm completion`. Loads what has the names of a project, and nothing that runs one. */
async function completeWords(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  const { complete } = await import("./commands/completion/complete.js");
  const codes = async (): Promise<readonly string[]> => Object.keys((await import("@kindlm/core")).errorTable);
  const names = async (paths: readonly string[]): Promise<ProjectNames> =>
    (await import("@kindlm/core/commands/find-names")).findNames({ paths }, environment.core);
  return complete(argv, { commands, codes, names }, environment);
}

interface Written {
  args: readonly string[];
  flags: Readonly<Record<string, unknown>>;
  configs: readonly string[];
}

/** A config above the current folder is not what somebody sees there. */
async function sayWhichConfig(
  { needsNoConfig, args: declared = {} }: CommandEntry,
  { args, flags, configs }: Written,
  { cwd, stderr }: CliEnvironment,
): Promise<void> {
  const isNamed = configs.length > 0 || ("[paths...]" in declared && args.length > 0);
  if (needsNoConfig === true || isNamed || flags["logFormat"] === "json") return;
  const { findNearestConfig, visibleLine } = await import("@kindlm/core/program");
  const file = findNearestConfig(cwd);
  if (file !== null && dirname(file) !== cwd) await stderr.write(`Config: ${visibleLine(relative(cwd, file))}\n`);
}

/** The error of whatever was thrown, on stderr. */
export async function printFailure(
  cause: unknown,
  argv: readonly string[],
  environment: CliEnvironment,
): Promise<number> {
  const { kindlmError } = await import("@kindlm/core");
  const { messageOf } = await import("@kindlm/core/program");
  const { renderError, renderUsageError } = await import("./errors/render-error.js");
  const view = errorView(argv, environment);
  if (cause instanceof UsageError) {
    await environment.stderr.write(renderUsageError(cause.explanation, view));
  } else {
    await environment.stderr.write(renderError(kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }), view));
  }
  return 1;
}

/** Reports what user code left behind, on stderr: a warning, because no verdict depends on it. */
export async function printStray(
  { cause, what }: { cause: unknown; what: string },
  argv: readonly string[],
  environment: CliEnvironment,
): Promise<void> {
  const { messageOf } = await import("@kindlm/core/program");
  const { renderWarning } = await import("./errors/render-error.js");
  const view = errorView(argv, environment);
  const stack = view.verbose && cause instanceof Error ? (cause.stack ?? "").split("\n").slice(1) : [];
  const title = `Uncaught error in your module: ${messageOf(cause)}`;
  const from = what === "" ? "" : `It comes from the ${what}. `;
  const fix = `${from}The run continued. Await every promise in the module, and handle its errors`;
  await environment.stderr.write(renderWarning({ title, fix, more: stack.map((line) => line.trim()) }, view));
}

function errorView(argv: readonly string[], environment: CliEnvironment): ErrorView {
  return {
    color: wantsColor(environment, environment.stderr, !argv.includes("--no-color")),
    verbose: argv.includes("--verbose"),
    asTyped: environment.asTyped,
  };
}

/** The words that name the run, which are replaced. */
const replaced = new Set(["--resume", "--rerun-failed"]);

/**
 * The command that resumes a run, to paste into a shell: the typed command, with the run named.
 *
 * @param argv - what followed `kindlm`
 * @param flags - those of the command that was called
 * @param program - what is to be typed for `kindlm`
 */
export function renderResumeCommand(
  argv: readonly string[],
  { runId, flags, program }: { runId: string; flags: Flags; program: string },
): string {
  const known = { ...globalFlags, ...flags };
  const kept: string[] = [];
  let at = 0;
  while (at < argv.length && argv[at] !== "--") {
    const word = argv[at] ?? "";
    const length = takesNext(word, known) ? 2 : 1;
    const isReplaced = replaced.has(word) || word === "--run" || word.startsWith("--run=");
    if (!isReplaced) kept.push(...argv.slice(at, at + length));
    at += length;
  }
  const words = [...kept, "--resume", "--run", runId, ...argv.slice(at)];
  return [program, ...words.map(quoteArgument)].join(" ");
}

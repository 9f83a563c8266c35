import { Command, type Option } from "commander";
import type { CommandDefinition, GlobalOptions, Invocation } from "./commands/command-definition.js";
import { commands } from "./commands/registry.js";
import type { CliEnvironment } from "./environment.js";
import { renderResumeCommand } from "./render-resume-command.js";
import { version } from "./version.js";

/** The command line as commander sees it. `argv` is what followed `kindlm`; `onExit` gets what a command returns. */
export function createProgram(
  environment: CliEnvironment,
  argv: readonly string[],
  onExit: (code: number) => void,
): Command {
  const program = new Command("kindlm")
    .description("Tests AI agents: what they call, what they answer, and whether they got worse")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .option("-c, --config <path>", "config file or folder; may be repeated", collect, [])
    .option("--verbose", "more of everything: stacks, provider bodies, attempts, timing", false)
    .option("--no-color", "no colors; NO_COLOR and FORCE_COLOR are heeded too")
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: environment.stdout.columns() ?? 100,
      optionDescription: describeOption,
    })
    .exitOverride();
  for (const definition of commands) addCommand(program, definition, argv, environment, onExit);
  program.addHelpText("after", "\nExamples:\n  kindlm init\n  kindlm test\n  kindlm test --help\n");
  return program;
}

function addCommand(
  program: Command,
  definition: CommandDefinition,
  argv: readonly string[],
  environment: CliEnvironment,
  onExit: (code: number) => void,
): void {
  const command = program.command(definition.name).description(definition.summary);
  definition.configure(command);
  const widest = Math.max(...definition.examples.map(([line]) => line.length));
  const examples = definition.examples.map(([line, does]) => `  ${line.padEnd(widest)}  ${does}`);
  command.addHelpText("after", `\nExamples:\n${examples.join("\n")}\n`);
  command.action(async () => {
    const run = await definition.load();
    onExit(await run(invocationOf(command, argv, environment)));
  });
}

function invocationOf(command: Command, argv: readonly string[], environment: CliEnvironment): Invocation {
  const { config, verbose, color } = command.optsWithGlobals<GlobalOptions>();
  const known = [...(command.parent?.options ?? []), ...command.options];
  const takesValue = (written: string): boolean =>
    known.some(({ required, short, long }) => required && (written === short || written === long));
  return {
    args: command.args,
    options: command.opts(),
    global: { config, verbose, color },
    resumeCommand: (runId) => renderResumeCommand(argv, runId, takesValue),
    environment,
  };
}

/** As commander does, without the defaults that tell nobody anything: an empty list, and a switch that is off. */
function describeOption(option: Option): string {
  const notes = [
    ...(option.argChoices === undefined ? [] : [`one of ${option.argChoices.join(", ")}`]),
    ...(typeof option.defaultValue === "string" ? [`default: ${option.defaultValue}`] : []),
  ];
  return notes.length === 0 ? option.description : `${option.description} (${notes.join("; ")})`;
}

/** For options that may be repeated. */
function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

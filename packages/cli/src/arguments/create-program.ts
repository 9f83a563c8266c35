import { Argument, Command, type CommanderError } from "commander";
import type { CommandEntry, CommandGroup } from "../commands/command-definition.js";
import { toOption, type Flags } from "../commands/flag.js";
import { commands } from "../commands/registry.js";
import { globalFlags } from "../commands/shared-flags.js";
import type { AsTyped } from "./as-typed.js";
import { UsageError } from "../errors/usage-error.js";
import { hangWidth } from "../terminal/text-width.js";
import { version } from "../version.js";

interface Around {
  asTyped: AsTyped;
  /** Columns of the help. */
  width: number;
  /** Receives the help and the version. */
  print(text: string): void;
  call(command: CommandEntry, parsed: Command): Promise<void>;
}

const firstSteps = [
  ["kindlm init", "Create a config with sample tests that run offline"],
  ["kindlm test", "Run the tests"],
  ["kindlm help test", "Show the options of a command"],
] as const;

/** The command line as commander sees it. Throws a UsageError for what it refuses. */
export function createProgram(around: Around): Command {
  const program = new Command(around.asTyped("kindlm"))
    .description("Test AI agents: check their tool calls and answers, and catch regressions")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print help")
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: around.width,
      minWidthToWrap: 10,
      optionDescription: ({ description }) => description,
      subcommandTerm: (command) => command.name(),
      styleTitle: (title) => title.replace("Global Options", "Global options"),
    })
    .configureOutput({
      writeOut: around.print,
      writeErr: around.print,
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", `\nExamples:\n${renderExamples(firstSteps, around)}`);
  refuseInOurWords(program);
  addFlags(program, globalFlags);
  addCommands(program, commands, around);
  return program;
}

/** Only the command that is called gets its flags, so the others cost nothing. */
function addCommands(parent: Command, entries: readonly (CommandEntry | CommandGroup)[], around: Around): void {
  const entryOf = new Map(entries.map((entry) => [parent.command(entry.name).description(entry.summary), entry]));
  parent.hook("preSubcommand", (_, called) => {
    const entry = entryOf.get(called);
    if (entry === undefined) return;
    if ("commands" in entry) addCommands(called.helpCommand(false), withDefault(entry), around);
    else complete(called, entry, around);
    const examples = "commands" in entry ? entry.commands.flatMap((one) => one.examples.slice(0, 1)) : entry.examples;
    called.addHelpText("after", `\nExamples:\n${renderExamples(examples, around)}`);
    refuseInOurWords(called, "commands" in entry ? undefined : entry.misplaced);
  });
}

function withDefault({ commands: entries, byDefault }: CommandGroup): readonly CommandEntry[] {
  return entries.map((entry) =>
    entry.name === byDefault ? { ...entry, summary: `${entry.summary} (default)` } : entry,
  );
}

function complete(command: Command, entry: CommandEntry, { call }: Around): void {
  for (const [written, help] of Object.entries(entry.args ?? {})) command.addArgument(new Argument(written, help));
  addFlags(command, entry.flags, entry.groups);
  command.action(() => call(entry, command));
}

function addFlags(command: Command, flags: Flags, groups: CommandEntry["groups"] = {}): void {
  const groupOf = new Map(Object.entries(groups).flatMap(([group, names]) => names.map((name) => [name, group])));
  for (const [name, flag] of Object.entries(flags)) command.addOption(toOption(name, flag, groupOf.get(name)));
}

function renderExamples(examples: CommandEntry["examples"], { asTyped, width }: Around): string {
  const comment = (does: string): string =>
    hangWidth("", does, width - 4)
      .map((line) => `  # ${line}\n`)
      .join("");
  return examples.map(([line, does]) => asTyped(`${comment(does)}  ${line}\n`)).join("\n");
}

/** Commander ends the process unless this throws; showing the help ends it too, with exit code 0. */
function refuseInOurWords(command: Command, misplaced?: CommandEntry["misplaced"]): void {
  command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0) throw error;
    const [word] = command.args.slice(command.registeredArguments.length);
    if (error.code === "commander.excessArguments" && word !== undefined && misplaced !== undefined) {
      throw new UsageError(`Unexpected argument "${word}" after ${pathOf(command)}`, misplaced(word));
    }
    throw explain(error.message, `${pathOf(command)} --help`);
  });
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Commander's words, such as `error: unknown option '--rnus'\n(Did you mean --runs?)`, in the form of our errors. */
function explain(message: string, help: string): UsageError {
  const [first = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const title = first.charAt(0).toUpperCase() + first.slice(1).replaceAll("'", '"');
  return new UsageError(title.replace(/\.$/, ""), suggestion?.replace(/^\((.*)\)$/, "$1") ?? `See: ${help}`);
}

import type { Command } from "commander";
import type { CliEnvironment } from "../environment.js";
import type { Flags, FlagValues } from "./flag.js";
import type { globalFlags } from "./shared-flags.js";

/** One call of a command: its arguments as they were written, its flags as they were declared. */
export interface Invocation<F extends Flags = Flags> {
  args: readonly string[];
  flags: FlagValues<F>;
  global: FlagValues<typeof globalFlags>;
  /** The command that resumes the run of this ID. */
  resumeCommand(runId: string): string;
  /** Calls another command by what follows `kindlm`. Gives its exit code. */
  call(argv: readonly string[]): Promise<number>;
  environment: CliEnvironment;
}

/** What the command line knows of a command before it is called. */
export interface CommandDeclaration<F extends Flags = Flags> {
  name: string;
  /** An imperative of at most 60 characters. */
  summary: string;
  /** Shown by `--help`, each a line to type and an imperative that says what it does. */
  examples: readonly (readonly [line: string, does: string])[];
  /** The arguments as commander writes them, such as `[paths...]`, with their help. */
  args?: Readonly<Record<string, string>>;
  flags: F;
  /** Headings of the help with their flags. Default: all flags under one heading. */
  groups?: Readonly<Record<string, readonly (keyof F & string)[]>>;
  /** True for a command that reads no config, wherever it is called. */
  needsNoConfig?: boolean;
  /** True for a command that is handed each word behind its name, flags too. */
  passesWords?: boolean;
  /** What to write instead, for a word that the command has no place for. */
  misplaced?(word: string): string;
}

export type InvocationOf<D extends CommandDeclaration> = Invocation<D["flags"]>;

/** A member of the command family. */
export interface CommandEntry extends CommandDeclaration {
  /** Calls the command with the flags that commander has parsed. */
  execute(parsed: Command, call: Omit<Invocation, "flags">): Promise<number>;
}

/** Commands under one name, such as `kindlm runs list`. */
export interface CommandGroup {
  name: string;
  summary: string;
  commands: readonly CommandEntry[];
  /** The command that is called if none is named. */
  byDefault?: string;
}

export function defineCommand<F extends Flags>(declaration: CommandDeclaration<F>): CommandDeclaration<F> {
  return declaration;
}

/** The action of a command is in its own module, which is loaded when the command is called. */
export function command<F extends Flags>(
  declaration: CommandDeclaration<F>,
  load: () => Promise<{ execute(invocation: Invocation<F>): Promise<number> }>,
): CommandEntry {
  return {
    ...declaration,
    execute: async (parsed, call) => (await load()).execute({ ...call, flags: parsed.opts<FlagValues<F>>() }),
  };
}

import type { Command } from "commander";
import type { CliEnvironment } from "../environment.js";

/** The flags that every command takes. */
export interface GlobalOptions {
  config: readonly string[];
  verbose: boolean;
  color: boolean;
}

/** One call of a command: its arguments as they were written, its options as they were declared. */
export interface Invocation {
  args: readonly string[];
  options: Readonly<Record<string, unknown>>;
  global: GlobalOptions;
  /** The command that goes on with the run of this id. */
  resumeCommand(runId: string): string;
  environment: CliEnvironment;
}

/** A member of the command family. The action is loaded only when the command is called. */
export interface CommandDefinition {
  name: string;
  summary: string;
  /** Shown by `--help`, each a line to type and what it does. */
  examples: readonly (readonly [line: string, does: string])[];
  /** Adds arguments and options. */
  configure(command: Command): void;
  load(): Promise<(invocation: Invocation) => Promise<number>>;
}

import type { ProcessOutcome } from "../../../processes/process-runner.js";
import type { Workspace } from "../../../workspace/workspace.js";
import { OutputLog } from "./output-log.js";

/** How a command ended. */
export type CommandEnd = Pick<ProcessOutcome, "exitCode" | "signal">;

/** A command that goes on while the agent does other things. */
export interface BackgroundCommand {
  id: string;
  log: OutputLog;
  /** Null while it runs. */
  end: CommandEnd | null;
  /** Ends it, unless it has ended. */
  kill(): Promise<CommandEnd>;
}

/** The background commands of a trial. They end with the workspace that they run in. */
export class BackgroundCommands {
  readonly #workspace: Workspace;
  readonly #commands = new Map<string, BackgroundCommand>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  get ids(): readonly string[] {
    return [...this.#commands.keys()];
  }

  find(id: string): BackgroundCommand | undefined {
    return this.#commands.get(id);
  }

  start(line: readonly [string, ...string[]], timeoutMs: number): BackgroundCommand {
    const log = new OutputLog();
    const ending = new AbortController();
    const ended = this.#workspace.commands
      .run({
        command: line,
        stdin: "",
        timeoutMs,
        signal: ending.signal,
        graceMs: 0,
        observe: (stream, chunk) => log.push(stream, chunk),
      })
      .then((ran): CommandEnd => {
        if (ran.success) return { exitCode: ran.data.exitCode, signal: ran.data.signal };
        log.push("stderr", Buffer.from(`${ran.error.message}\n`));
        return { exitCode: null, signal: null };
      });
    const command: BackgroundCommand = {
      id: `bash_${this.#commands.size + 1}`,
      log,
      end: null,
      kill: () => {
        ending.abort();
        return ended;
      },
    };
    void ended.then((end) => (command.end = end));
    this.#commands.set(command.id, command);
    return command;
  }
}

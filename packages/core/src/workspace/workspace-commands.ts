import { success, type Result } from "../result.js";
import type { ProcessOutcome, ProcessRequest, ProcessRunner } from "../processes/process-runner.js";

/** What runs the programs of workspaces, and the environment of KindLM. */
export interface CommandRunner {
  processes: ProcessRunner;
  env: Readonly<Record<string, string | undefined>>;
}

/** A program that is to run in a workspace. */
export type CommandRequest = Pick<
  ProcessRequest,
  "command" | "stdin" | "timeoutMs" | "signal" | "maxBytes" | "observe" | "graceMs"
>;

/** Where programs run, and what they see of the environment. */
interface Place {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** The programs that run in the folder of a trial. None outlives it, and none leaves a process behind when it ends. */
export class WorkspaceCommands {
  readonly #place: Place;
  readonly #processes: ProcessRunner;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #isClosed = false;

  constructor(place: Place, processes: ProcessRunner) {
    this.#place = place;
    this.#processes = processes;
  }

  /** Runs a program to its end. Fails only if it does not start. */
  async run(request: CommandRequest): ReturnType<ProcessRunner["run"]> {
    if (this.#isClosed) return neverStarted;
    const ending = new AbortController();
    const onAbort = (): void => ending.abort();
    if (request.signal.aborted) onAbort();
    request.signal.addEventListener("abort", onAbort, { once: true });
    const running = this.#processes.run({ ...request, ...this.#place, signal: ending.signal, endsStrays: true });
    this.#running.set(ending, running);
    const ran = await running;
    this.#running.delete(ending);
    request.signal.removeEventListener("abort", onAbort);
    return ran;
  }

  /** Ends what still runs. Resolves when nothing is left, and nothing can be started any longer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const ending of this.#running.keys()) ending.abort();
    await Promise.all(this.#running.values());
  }
}

const neverStarted: Result<ProcessOutcome, never> = success({
  exitCode: null,
  signal: null,
  stdout: "",
  stderr: "",
  endedBy: "abort",
});

import { failure, success, type Result } from "../result.js";
import type { ProcessOutcome, ProcessRequest, ProcessRunner } from "../processes/process-runner.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { Clock } from "../values/clock.js";
import { LimitWatch } from "./limit-watch.js";
import type { WorkspaceConfig } from "./workspace-config.js";
import type { SandboxName } from "../transcript/workspace-record.js";
import type { Sandbox } from "./sandbox/sandbox.js";
import { complaintOf, wasMade, type SandboxPlace } from "./sandbox/sandbox-kind.js";
import type { Sandboxes } from "./sandbox/sandboxes.js";

/** A program that is to run in a workspace. */
export type CommandRequest = Pick<
  ProcessRequest,
  "command" | "stdin" | "timeoutMs" | "signal" | "maxBytes" | "observe" | "graceMs"
>;

type Ran = Awaited<ReturnType<ProcessRunner["run"]>>;

/** What starts the programs of workspaces. */
export interface CommandWorld {
  clock: Clock;
  processes: ProcessRunner;
  sandboxes: Sandboxes;
}

/** How programs run that are kept in bounds. */
export type CommandRules = Pick<WorkspaceConfig, "sandbox" | "limits">;

/** The programs that run in the folder of a trial. None outlives it, and none leaves a process behind when it ends. */
export class WorkspaceCommands {
  readonly #place: SandboxPlace;
  readonly #world: CommandWorld;
  readonly #isSandboxed: boolean;
  readonly #limits: LimitWatch;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #sandbox: Promise<Result<Sandbox | null, string>> | null = null;
  #sandboxName: SandboxName | null = null;
  #isClosed = false;

  constructor(place: SandboxPlace, { sandbox, limits }: CommandRules, world: CommandWorld) {
    this.#place = place;
    this.#isSandboxed = sandbox;
    this.#world = world;
    this.#limits = new LimitWatch(limits, place.parent, world.clock, () => this.#abort());
  }

  /** ENGINE_BUDGET_EXCEEDED if they have exceeded a limit. Then nothing can be started any longer. */
  get brokenLimit(): KindlmError | null {
    return this.#limits.broken;
  }

  /** Null if nothing was run. */
  get sandboxName(): SandboxName | null {
    return this.#sandboxName;
  }

  /** Runs a program to its end. Fails only if it does not start. */
  async run(request: CommandRequest): Promise<Ran> {
    if (this.#isClosed || this.brokenLimit !== null) return neverStarted;
    const ending = new AbortController();
    const onAbort = (): void => ending.abort();
    if (request.signal.aborted) onAbort();
    request.signal.addEventListener("abort", onAbort, { once: true });
    const running = this.#watch({ ...request, signal: ending.signal });
    this.#running.set(ending, running);
    const ran = await running;
    this.#running.delete(ending);
    request.signal.removeEventListener("abort", onAbort);
    return ran;
  }

  async #watch(request: CommandRequest): Promise<Ran> {
    const watched = await this.#limits.begin();
    const ran = await this.#start({
      ...request,
      started: (program) => {
        watched.program = program;
      },
    });
    await this.#limits.end(watched);
    return ran;
  }

  async #start(request: CommandRequest & Pick<ProcessRequest, "started">): Promise<Ran> {
    const { root, env } = this.#place;
    const { processes, sandboxes } = this.#world;
    const opened = await (this.#sandbox ??= this.#isSandboxed ? sandboxes.open(this.#place) : noSandbox);
    if (!opened.success) return failedStart(opened.error);
    const sandbox = opened.data;
    this.#sandboxName = sandbox?.kind.name ?? "none";
    if (sandbox === null) return processes.run({ ...request, cwd: root, env, endsStrays: true });
    const command = sandbox.wrap(request.command);
    const ran = await processes.run({ ...request, command, cwd: root, env, makesSandbox: true });
    if (!ran.success) return ran;
    const { endedBy } = ran.data;
    if (endedBy === null && !wasMade(ran)) return failedStart(complaintOf(ran, sandbox.kind));
    // Of a program that was killed, the shell around it would return a code.
    return endedBy === null ? ran : success({ ...ran.data, exitCode: null, signal: "SIGKILL" });
  }

  #abort(): void {
    for (const ending of this.#running.keys()) ending.abort();
  }

  /** Ends what still runs. Resolves when nothing is left, and nothing can be started any longer. */
  async close(): Promise<void> {
    if (this.#isClosed && this.#running.size === 0) return;
    this.#isClosed = true;
    this.#abort();
    await Promise.all(this.#running.values());
    await this.#limits.conclude();
    const opened = await this.#sandbox;
    if (opened?.success === true) await opened.data?.close();
  }
}

const noSandbox: Promise<Result<null, never>> = Promise.resolve(success(null));

const neverStarted: Result<ProcessOutcome, never> = success({
  exitCode: null,
  signal: null,
  stdout: "",
  stderr: "",
  endedBy: "abort",
});

function failedStart(why: string): Ran {
  const message = `Could not start the sandbox: ${why}`;
  return failure({ message, cause: new Error(message) });
}

import { mkdir } from "node:fs/promises";
import { failure, success, type Result } from "../../result.js";
import { bwrapLine, privateFolders, type SandboxPlace } from "./bwrap-line.js";
import { complaintOf, type CommandRunner } from "./command-runner.js";
import { PrivateNetwork } from "./private-network.js";

/** How long the system may take to start a sandbox when it is tried out. */
const trialMs = 10_000;

/**
 * Keeps the programs of one trial apart: they see the system read-only, of the files of the user only what the trial has,
 * and no network unless it is allowed. Each program has its own processes, which end with it.
 */
export class Sandbox {
  readonly #place: SandboxPlace;
  readonly #network: PrivateNetwork | null;

  private constructor(place: SandboxPlace, network: PrivateNetwork | null) {
    this.#place = place;
    this.#network = network;
  }

  /** Fails with what the system said. */
  static async open(place: SandboxPlace, runner: CommandRunner): Promise<Result<Sandbox, string>> {
    for (const folder of Object.values(privateFolders(place))) await mkdir(folder, { recursive: true });
    if (place.network) return success(new Sandbox(place, null));
    const network = await PrivateNetwork.open(runner);
    return network.success ? success(new Sandbox(place, network.data)) : network;
  }

  /** The line that runs the program in it. */
  wrap(program: readonly [string, ...string[]]): readonly [string, ...string[]] {
    const line = bwrapLine(this.#place, program);
    return this.#network === null ? line : [...this.#network.enter, ...line];
  }

  async close(): Promise<void> {
    await this.#network?.close();
  }
}

/** The sandboxes of a run. Whether there can be any is tried out once, with the first of them. */
export class Sandboxes {
  readonly #runner: CommandRunner;
  #tried: Promise<Result<void, string>> | null = null;
  #missing: string | null = null;

  constructor(runner: CommandRunner) {
    this.#runner = runner;
  }

  /** Why there can be none; null if there can, or nobody has asked for one. */
  get missing(): string | null {
    return this.#missing;
  }

  /** Null if there can be none on this machine. Fails with what the system said of this one. */
  async open(place: SandboxPlace): Promise<Result<Sandbox | null, string>> {
    const tried = await (this.#tried ??= this.#tryOut(place));
    return tried.success ? Sandbox.open(place, this.#runner) : success(null);
  }

  async #tryOut(place: SandboxPlace): Promise<Result<void, string>> {
    const opened = await Sandbox.open(place, this.#runner);
    const works = opened.success ? await this.#start(opened.data, place) : opened;
    if (opened.success) await opened.data.close();
    if (!works.success) this.#missing = works.error;
    return works;
  }

  async #start(sandbox: Sandbox, { env }: SandboxPlace): Promise<Result<void, string>> {
    const ran = await this.#runner.processes.run({
      command: sandbox.wrap(["true"]),
      cwd: "/",
      env,
      stdin: "",
      timeoutMs: trialMs,
      signal: new AbortController().signal,
    });
    return ran.success && ran.data.exitCode === 0 ? success(undefined) : failure(complaintOf(ran));
  }
}

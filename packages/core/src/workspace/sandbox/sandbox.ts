import { mkdir } from "node:fs/promises";
import type { ProcessInput } from "../../processes/process-runner.js";
import { failure, success, type Result } from "../../result.js";
import type { CommandRunner } from "./command-runner.js";
import { complaintOf, type Line, type SandboxKind, type SandboxPlace } from "./sandbox-kind.js";

const noTimeoutMs = 2 ** 31 - 1;

/** Keeps the programs of one trial apart from the rest of the machine. Each has its own processes, which end with it. */
export class Sandbox {
  readonly kind: SandboxKind;
  readonly #place: SandboxPlace;
  readonly #network: PrivateNetwork | null;

  private constructor(kind: SandboxKind, place: SandboxPlace, network: PrivateNetwork | null) {
    this.kind = kind;
    this.#place = place;
    this.#network = network;
  }

  /** Fails with what the system said. */
  static async open(kind: SandboxKind, place: SandboxPlace, runner: CommandRunner): Promise<Result<Sandbox, string>> {
    for (const folder of kind.foldersOf(place)) await mkdir(folder, { recursive: true });
    if (place.network) return success(new Sandbox(kind, place, null));
    const network = await PrivateNetwork.open(kind, runner);
    return network.success ? success(new Sandbox(kind, place, network.data)) : network;
  }

  /** The line that runs the program in it. */
  wrap(program: Line): Line {
    const line = this.kind.wrap(this.#place, program);
    return this.#network === null ? line : [...this.#network.enter, ...line];
  }

  async close(): Promise<void> {
    await this.#network?.close();
  }
}

/** A network with nothing but loopback, which the programs of one trial share: one can serve what the next one asks for. */
class PrivateNetwork {
  /** Begins a line that is to run in it. */
  readonly enter: Line;
  readonly #ending: AbortController;
  readonly #ended: Promise<unknown>;

  private constructor(enter: Line, ending: AbortController, ended: Promise<unknown>) {
    this.enter = enter;
    this.#ending = ending;
    this.#ended = ended;
  }

  /** Starts the program that holds it. Fails with what the system said. */
  static open(kind: SandboxKind, { processes, env }: CommandRunner): Promise<Result<PrivateNetwork, string>> {
    const ending = new AbortController();
    return new Promise((resolve) => {
      let printed = "";
      const converse = (_input: ProcessInput) => (chunk: Uint8Array) => {
        printed += Buffer.from(chunk).toString("latin1");
        const holder = /^(\d+)\n/m.exec(printed)?.[1];
        if (holder !== undefined) resolve(success(new PrivateNetwork(kind.enterNetwork(holder), ending, ended)));
      };
      const ended = processes.run({
        // It ends with its input, should KindLM end without a word.
        command: kind.holdNetwork,
        cwd: "/",
        env: { PATH: env["PATH"] },
        stdin: "",
        converse,
        timeoutMs: noTimeoutMs,
        signal: ending.signal,
        graceMs: 0,
      });
      void ended.then((ran) => resolve(failure(complaintOf(ran, kind))));
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }
}

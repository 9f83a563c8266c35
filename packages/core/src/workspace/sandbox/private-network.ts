import type { ProcessInput } from "../../processes/process-runner.js";
import { failure, success, type Result } from "../../result.js";
import { complaintOf, type CommandRunner } from "./command-runner.js";

const noTimeoutMs = 2 ** 31 - 1;

/** A network with nothing but loopback, which the programs of one trial share: one can serve what the next one asks for. */
export class PrivateNetwork {
  /** What a line begins with that is to run in it. */
  readonly enter: readonly [string, ...string[]];
  readonly #ending: AbortController;
  readonly #ended: Promise<unknown>;

  private constructor(holder: string, ending: AbortController, ended: Promise<unknown>) {
    this.enter = ["nsenter", "--target", holder, "--user", "--net", "--preserve-credentials", "--"];
    this.#ending = ending;
    this.#ended = ended;
  }

  /** Starts the program that holds it. Fails with what the system said. */
  static open({ processes, env }: CommandRunner): Promise<Result<PrivateNetwork, string>> {
    const ending = new AbortController();
    return new Promise((resolve) => {
      let printed = "";
      const converse = (_input: ProcessInput) => (chunk: Uint8Array) => {
        printed += Buffer.from(chunk).toString("latin1");
        const holder = /^(\d+)\n/.exec(printed)?.[1];
        if (holder !== undefined) resolve(success(new PrivateNetwork(holder, ending, ended)));
      };
      const ended = processes.run({
        // It ends with its input, should KindLM end without a word.
        command: [
          "bwrap",
          "--unshare-user",
          "--unshare-net",
          "--die-with-parent",
          "--ro-bind",
          "/",
          "/",
          "--",
          "/bin/sh",
          "-c",
          "echo $$; exec cat",
        ],
        cwd: "/",
        env: { PATH: env["PATH"] },
        stdin: "",
        converse,
        timeoutMs: noTimeoutMs,
        signal: ending.signal,
        graceMs: 0,
      });
      void ended.then((ran) => resolve(failure(complaintOf(ran))));
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }
}

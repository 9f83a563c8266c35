import { success, type Result } from "../../result.js";
import { bwrap } from "./bwrap.js";
import type { CommandRunner } from "./command-runner.js";
import { Sandbox } from "./sandbox.js";
import { complaintOf, wasMade, type SandboxKind, type SandboxPlace } from "./sandbox-kind.js";
import type { SandboxLack } from "./sandbox-lack.js";
import { unshare, unshareAsSuperuser } from "./unshare.js";

/** The first that works on a machine is used. */
const sandboxKinds: readonly SandboxKind[] = [bwrap, unshare, unshareAsSuperuser];

/** How long the system may take to start a sandbox when it is tried out. */
const trialMs = 10_000;

/** The sandboxes of a run. Which kind the machine can have is tried out once, with the first of them. */
export class Sandboxes {
  readonly #runner: CommandRunner;
  #tried: Promise<SandboxKind | null> | null = null;
  #lack: SandboxLack | null = null;

  constructor(runner: CommandRunner) {
    this.#runner = runner;
  }

  /** What they lack; null if nothing, or nobody has asked for one. */
  get lack(): SandboxLack | null {
    return this.#lack;
  }

  /** Null if there can be none on this machine. Fails with what the system said of this one. */
  async open(place: SandboxPlace): Promise<Result<Sandbox | null, string>> {
    const kind = await (this.#tried ??= this.#tryOut(place));
    return kind === null ? success(null) : Sandbox.open(kind, place, this.#runner);
  }

  async #tryOut(place: SandboxPlace): Promise<SandboxKind | null> {
    const reasons = new Set<string>();
    for (const kind of sandboxKinds) {
      const whyNot = await this.#tryKind(kind, place);
      if (whyNot === null) {
        if (!kind.keepsFilesApart) this.#lack = { lacks: "files", reasons: [...reasons] };
        return kind;
      }
      reasons.add(whyNot);
    }
    this.#lack = { lacks: "everything", reasons: [...reasons] };
    return null;
  }

  /** Why it does not work; null if it does. */
  async #tryKind(kind: SandboxKind, place: SandboxPlace): Promise<string | null> {
    const opened = await Sandbox.open(kind, place, this.#runner);
    if (!opened.success) return opened.error;
    const ran = await this.#runner.processes.run({
      command: opened.data.wrap(["true"]),
      cwd: place.root,
      env: place.env,
      stdin: "",
      timeoutMs: trialMs,
      signal: new AbortController().signal,
      makesSandbox: true,
    });
    await opened.data.close();
    if (ran.success && ran.data.endedBy !== null) return `${kind.name} did not end`;
    return wasMade(ran) ? null : complaintOf(ran, kind);
  }
}

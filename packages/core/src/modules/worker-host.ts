import type { Result } from "../result.js";
import { createSystemClock } from "../values/clock.js";
import { moduleFailure, type ModuleFailure } from "./module-failure.js";
import type { EndedModule, ModuleCall, ModuleWorld, UserModules } from "./user-modules.js";
import { WorkerSession, type PendingCall } from "./worker-session.js";

/** After this time without an answer, waiting calls report what they wait for. */
const blameMs = 1_000;
/**
 * After the end of the run it may do what is left to be done at the exit. On a busy machine 300 ms were too few for
 * a worker that had nothing to do, and its module was blamed.
 */
const farewellMs = 1_000;
/** Ending takes no time, unless the worker waits inside the system. */
const terminationMs = 700;
/** So often a call is made again that others have cut off. */
const mostTries = 4;

const newWorker = "The run continued with a new worker; the state of the modules is lost";
const stuck = {
  message: "is blocked in a system call and cannot be stopped",
  hint: "Set a timeout for what it waits for. KindLM ends with SIGKILL, because a normal exit would wait too",
};

/** Keeps one worker at a time. Its own time is real, because it is about whether code runs. */
export class WorkerHost implements UserModules {
  readonly #world: ModuleWorld;
  readonly #clock = createSystemClock();
  readonly #sites: string[] = [""];
  readonly #ended: EndedModule[] = [];
  #session: WorkerSession | null = null;
  #lastId = 0;
  #onGone: (() => void) | null = null;
  #isClosed = false;

  constructor(world: ModuleWorld) {
    this.#world = world;
  }

  call<Input, Output>(call: ModuleCall<Input, Output>): Promise<Result<Output, ModuleFailure>> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve(moduleFailure("swept", "came after the end of the run"));
      // The code of the same action makes the outcome.
      const settle = (outcome: Result<Output, ModuleFailure>): void => resolve(outcome);
      this.#send({ call, tries: 0, isGivenUp: false, isLastChance: false, settle });
    });
  }

  blockedBy(what: string): string | null {
    if (this.#session === null || this.#session.silenceMs <= blameMs) return null;
    const { culprit } = this.#session;
    return culprit === what ? null : culprit;
  }

  async close(): Promise<readonly EndedModule[]> {
    this.#isClosed = true;
    const session = this.#session;
    if (session === null) return this.#ended;
    session.stopBeat();
    if (session.pending.size === 0) session.wasHeard();
    session.link.keepsProcess(true);
    await new Promise<void>((resolve) => {
      session.link.post({ type: "end" });
      const cancels = [
        this.#clock.after(farewellMs, () => session.end()),
        this.#clock.after(farewellMs + terminationMs, () => {
          this.#ended.push({ what: session.culprit, ...stuck });
          session.link.keepsProcess(false);
          this.#world.onStuck?.();
          resolve();
        }),
      ];
      this.#onGone = () => {
        for (const cancel of cancels) cancel();
        resolve();
      };
    });
    return this.#ended;
  }

  #send(waiting: PendingCall): void {
    this.#session ??= new WorkerSession({
      ...this.#world,
      clock: this.#clock,
      sites: this.#sites,
      onExit: (session, how) => this.#exited(session, how),
    });
    waiting.tries += 1;
    this.#lastId += 1;
    this.#session.call(this.#lastId, waiting);
  }

  #exited(session: WorkerSession, how: string): void {
    if (this.#session === session) this.#session = null;
    const message = session.verdict ?? how;
    const what = session.culprit;
    if (this.#onGone === null || session.verdict !== null) this.#ended.push({ what, message, hint: newWorker });
    for (const [id, waiting] of session.pending) this.#settleCutOff(session, id, waiting, { what, message });
    this.#onGone?.();
  }

  /** A call that was on its way when its worker ended fails with it, or is made again where that does no harm. */
  #settleCutOff(
    { link: { board } }: WorkerSession,
    id: number,
    waiting: PendingCall,
    by: Pick<EndedModule, "what" | "message">,
  ): void {
    if (this.#isClosed) waiting.settle(moduleFailure("swept", "was cut off by the end of the run"));
    else if (id === board.running().id) waiting.settle(moduleFailure("ended", by.message));
    else if (waiting.isGivenUp) waiting.settle(moduleFailure("swept", "was waited for no longer"));
    else if (waiting.tries < mostTries && (id > board.begun() || waiting.call.isRepeatable)) this.#send(waiting);
    else waiting.settle(moduleFailure("swept", `was cut off, because ${by.what} ${by.message}`));
  }
}

import { attempt, attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { moduleFailure, type ModuleFailure } from "./module-failure.js";
import type { FromWorker, ToWorker, WorkerStart } from "./module-message.js";
import type { ModuleCall, ModuleWorld } from "./user-modules.js";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { isRecord } from "../values/json.js";
import { createPulseBoard, type PulseBoard } from "./pulse-board.js";

/** A worker that has not answered for so long is blocked. It is ended once nobody waits any longer for what blocks it. */
const usualPatienceMs = 2_000;
/** So often within that time a worker that has something to do is asked whether it still answers. */
const beats = 4;

/** The bundle has the worker in its own file; the tests of the sources take it from there, too. */
const workerFile = join(dirname(createRequire(import.meta.url).resolve("@kindlm/core")), "module-worker.cjs");

export interface PendingCall {
  call: ModuleCall<unknown, unknown>;
  tries: number;
  /** Nobody waits for it. It is forgotten as soon as the worker is known to answer nevertheless. */
  isGivenUp: boolean;
  /** The worker was asked after that whether it answers. */
  isLastChance: boolean;
  settle(outcome: Result<unknown, ModuleFailure>): void;
}

interface SessionWorld extends ModuleWorld {
  clock: Clock;
  /** Names of what runs, each at the place that the worker knows it by. */
  sites: string[];
  /** `message` says what ended the worker, to be read after a name. */
  onExit(session: WorkerSession, message: string): void;
}

/** One worker, from its start to its end. */
export class WorkerSession {
  readonly link: WorkerLink;
  readonly pending = new Map<number, PendingCall>();
  /**
   * Calls that were given up while the worker still answered. If their modules begin to block only then, the calls
   * behind them must not pay for it.
   */
  readonly #forgotten = new Set<number>();
  readonly #world: SessionWorld;
  /** When it answered last, or began to have something to do. */
  #heardAt: number;
  /** Why it is being ended from here; null while it is not. */
  #verdict: string | null = null;
  #isOver = false;
  #stopBeat: () => void = () => undefined;

  constructor(world: SessionWorld) {
    this.#world = world;
    this.#heardAt = world.clock.monotonic();
    this.link = openWorker(world.console ?? "stdout", {
      onMessage: (message) => this.#receive(message),
      onExit: (message) => {
        this.#isOver = true;
        this.stopBeat();
        world.onExit(this, message);
      },
    });
  }

  get verdict(): string | null {
    return this.#verdict;
  }

  /** What runs in it. */
  get culprit(): string {
    return this.#world.sites[this.link.board.running().site] ?? "";
  }

  /** For how long it has not answered, milliseconds. */
  get silenceMs(): number {
    return this.#world.clock.monotonic() - this.#heardAt;
  }

  call(id: number, waiting: PendingCall): void {
    const { call } = waiting;
    const { file, exportName, input, action } = call;
    const message = { type: "call" as const, id, site: this.#siteOf(call.what), action: action.name };
    const sent = attemptSync(() => this.link.post({ ...message, file, exportName, input }), messageOf);
    if (!sent.success) return waiting.settle(moduleFailure("unfit", `cannot be given its data: ${sent.error}`));
    if (this.pending.size === 0) {
      this.wasHeard();
      this.link.keepsProcess(true);
      this.#beat();
    }
    this.pending.set(id, waiting);
    const onAbort = (): void => {
      waiting.isGivenUp = true;
      if (!this.#isOver) this.link.post({ type: "abort", id });
    };
    if (call.signal.aborted) onAbort();
    else call.signal.addEventListener("abort", onAbort, { once: true });
    const { settle } = waiting;
    waiting.settle = (outcome) => {
      call.signal.removeEventListener("abort", onAbort);
      settle(outcome);
    };
  }

  /** Ends it in the middle of what it does. */
  end(): void {
    const silence = renderDuration(Math.round(this.silenceMs / 100) * 100);
    this.#verdict ??= `kept its worker busy for ${silence}, and was ended`;
    this.link.terminate();
  }

  wasHeard(): void {
    this.#heardAt = this.#world.clock.monotonic();
  }

  stopBeat(): void {
    this.#stopBeat();
  }

  #siteOf(what: string): number {
    const { sites } = this.#world;
    const known = sites.indexOf(what);
    return known === -1 ? sites.push(what) - 1 : known;
  }

  #beat(): void {
    const { clock, patienceMs = usualPatienceMs } = this.#world;
    const beatMs = patienceMs / beats;
    const dueAt = clock.monotonic() + beatMs;
    this.#stopBeat = clock.after(beatMs, () => {
      // While this thread is busy itself it hears nothing.
      this.#heardAt += clock.monotonic() - dueAt;
      // Before it takes up a call it is starting, and nobody's code keeps it from answering.
      if (this.link.board.begun() === 0) this.wasHeard();
      const givenUp = [...this.pending.values()].filter(({ isGivenUp }) => isGivenUp);
      if (this.silenceMs > patienceMs && (givenUp.length > 0 || this.#forgotten.has(this.link.board.running().id)))
        return this.end();
      for (const waiting of givenUp) waiting.isLastChance = true;
      this.link.post({ type: "ping" });
      this.#beat();
    });
  }

  #receive(message: FromWorker): void {
    this.wasHeard();
    switch (message.type) {
      case "outcome":
        this.#forgotten.delete(message.id);
        return this.#forget(message.id, message.outcome);
      case "notify":
        return this.pending.get(message.id)?.call.onNotify?.(message.data);
      case "ask":
        return void this.#answer(message);
      case "stray":
        return this.#world.onStray?.(message.cause, this.#world.sites[message.site] ?? "");
      case "pong":
        for (const [id, waiting] of this.pending) {
          if (!waiting.isLastChance) continue;
          this.#forgotten.add(id);
          this.#forget(id, moduleFailure("swept", "was waited for no longer"));
        }
    }
  }

  async #answer({ id, ask, data }: Extract<FromWorker, { type: "ask" }>): Promise<void> {
    const told = await attempt(
      async () => this.pending.get(id)?.call.onAsk?.(data),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause)),
    );
    if (this.#isOver) return;
    const reply = told.success ? told : failure(told.error.message);
    const sent = attemptSync(() => this.link.post({ type: "answer", ask, answer: reply }), messageOf);
    if (!sent.success) this.link.post({ type: "answer", ask, answer: failure(sent.error) });
  }

  #forget(id: number, outcome: Result<unknown, ModuleFailure>): void {
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    if (this.pending.size === 0) {
      this.stopBeat();
      this.link.keepsProcess(false);
    }
    waiting?.settle(outcome);
  }
}

/** A worker from outside. */
interface WorkerLink {
  readonly board: PulseBoard;
  /** Throws what cannot be copied. */
  post(message: ToWorker): void;
  /** Whether this process has to wait for the worker. */
  keepsProcess(keeps: boolean): void;
  /** Ends it in the middle of whatever it does, unless it waits inside the system. */
  terminate(): void;
}

interface WorkerListener {
  onMessage(message: FromWorker): void;
  /** `message` says what ended it, to be read after a name. */
  onExit(message: string): void;
}

function openWorker(console: WorkerStart["console"], listener: WorkerListener): WorkerLink {
  const board = createPulseBoard();
  const { port1: port, port2 } = new MessageChannel();
  const start: WorkerStart = { port: port2, board: board.memory, console };
  const worker = new Worker(workerFile, { workerData: start, transferList: [port2], name: "KindLM modules" });
  let crash: string | null = null;
  // The other end is KindLM's own, and nobody else has it.
  const hear = (message: FromWorker): void => listener.onMessage(message);
  port.on("message", hear);
  worker.on("error", (cause: unknown) => {
    const isFull = isRecord(cause) && cause["code"] === "ERR_WORKER_OUT_OF_MEMORY";
    crash = isFull ? "ran out of memory" : `crashed its worker: ${messageOf(cause)}`;
  });
  worker.on("exit", (code) => {
    // What was said before the end has arrived, but may not have been read.
    let left: { message: FromWorker } | undefined;
    while ((left = receiveMessageOnPort(port)) !== undefined) hear(left.message);
    port.close();
    listener.onExit(crash ?? `called process.exit(${code})`);
  });
  worker.unref();
  return {
    board,
    post: (message) => port.postMessage(message),
    keepsProcess: (keeps) => (keeps ? port.ref() : port.unref()),
    terminate: () => void worker.terminate(),
  };
}

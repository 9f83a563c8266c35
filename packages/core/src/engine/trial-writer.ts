import type { KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import type { EnginePorts, TrialOrigin } from "./ports.js";
import type { RunEventBody } from "./run-event.js";
import type { TrialResult } from "./run-result.js";

/** Finished trials that may wait for the disk at a time. */
const maxPending = 2_048;
/**
 * From here on the next trial waits for a turn of the event loop. Trials that wait for nothing, as those with a scripted
 * model, would otherwise keep it from the disk, and their lines would be there all at once.
 */
const mostInTurn = 256;

type WriterPorts = Pick<EnginePorts, "trials" | "emit" | "clock">;

interface TrialEnd {
  event: RunEventBody;
  at: number;
}

function endOf(
  { status, costUsd, trial }: TrialResult,
  planned: PlannedCase,
  origin: TrialOrigin,
  at: number,
): TrialEnd {
  const type = origin === "carried" || origin === "replayed" ? "trial:carried" : "trial:end";
  const { suite, id: caseId } = planned;
  return { event: { channel: "progress", type, suite, caseId, trial, status, costUsd }, at };
}

/** Hands finished trials to the store, and says that they are over once it has them. */
export class TrialWriter {
  readonly #ports: WriterPorts;
  #error: KindlmError | null = null;
  #pending = 0;
  #turn: Promise<void> | null = null;
  /** Trials are written about in the order in which they are handed over. */
  #lastWrite: Promise<void> | null = null;

  constructor(ports: WriterPorts) {
    this.#ports = ports;
  }

  /** Why the first of those that could not be written was not; null when all could. */
  get error(): KindlmError | null {
    return this.#error;
  }

  /**
   * Gives a promise for when there is room for the next trial, if there is none now; mostly there is before this one is
   * on the disk. `onEnd` is called when its end was reported.
   */
  write(
    result: TrialResult,
    planned: PlannedCase,
    origin: TrialOrigin,
    onEnd: (() => void) | null = null,
  ): Promise<void> | undefined {
    const ended = endOf(result, planned, origin, this.#ports.clock.now());
    const writing = this.#ports.trials.append(result, planned, origin);
    if (!(writing instanceof Promise)) {
      this.#settle(writing, ended, onEnd);
      return undefined;
    }
    this.#await(writing, ended, onEnd);
    if (this.#pending >= maxPending) return this.#allWritten();
    return this.#pending >= mostInTurn ? this.#nextTurn() : undefined;
  }

  /** What waits for the disk holds no transcript. */
  #await(writing: Promise<Result<void>>, ended: TrialEnd, onEnd: (() => void) | null): void {
    this.#pending += 1;
    this.#lastWrite = writing.then((written) => {
      this.#pending -= 1;
      return this.#settle(written, ended, onEnd);
    });
  }

  #settle(written: Result<void>, { event, at }: TrialEnd, onEnd: (() => void) | null): void {
    this.#ports.emit(event, at);
    this.#recordError(written);
    onEnd?.();
  }

  /** Resolves when the end of every trial was reported. */
  async settled(): Promise<void> {
    // The last trial handed over need not be the last reported, and no case may be missing.
    while (this.#pending > 0) await this.#allWritten();
  }

  #nextTurn(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = null;
        resolve();
      });
    });
    return this.#turn;
  }

  async #allWritten(): Promise<void> {
    await this.#ports.trials.flush();
    await this.#lastWrite;
  }

  #recordError(written: Result<void>): void {
    if (written.success || this.#error !== null) return;
    const { error } = written;
    this.#error = error;
    this.#ports.emit({
      channel: "monitor",
      type: "error",
      severity: "warn",
      phase: "store",
      message: error.message,
      error,
    });
  }
}

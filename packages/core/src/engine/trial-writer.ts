import type { KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import type { EnginePorts, TrialOrigin } from "./ports.js";
import type { TrialResult } from "./run-result.js";

/** Finished trials that may wait for the disk at a time. */
const maxPending = 2_048;

type WriterPorts = Pick<EnginePorts, "trials" | "emit" | "clock">;

/** Hands finished trials to the store, and says that they are over once it has them. */
export class TrialWriter {
  readonly #ports: WriterPorts;
  #error: KindlmError | null = null;
  #pending = 0;
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
   * Resolves when there is room for the next trial, mostly before this one is on the disk. `onEnd` is called when its end
   * was reported.
   */
  async write(result: TrialResult, planned: PlannedCase, origin: TrialOrigin, onEnd?: () => void): Promise<void> {
    const { trials, emit, clock } = this.#ports;
    // What waits for the disk holds no transcript.
    const { status, costUsd, trial } = result;
    const endedAt = clock.now();
    const settle = (written: Result<void>): void => {
      const ref = { suite: planned.suite, caseId: planned.id, trial };
      const type = origin === "carried" || origin === "replayed" ? "trial:carried" : "trial:end";
      emit({ channel: "progress", type, ...ref, status, costUsd }, endedAt);
      this.#recordError(written);
      onEnd?.();
    };
    const writing = trials.append(result, planned, origin);
    if (!(writing instanceof Promise)) return settle(writing);
    this.#pending += 1;
    this.#lastWrite = writing.then((written) => {
      this.#pending -= 1;
      return settle(written);
    });
    if (this.#pending >= maxPending) await this.#allWritten();
  }

  /** Resolves when the end of every trial was reported. */
  async settled(): Promise<void> {
    // The last trial handed over need not be the last reported, and no case may be missing.
    while (this.#pending > 0) await this.#allWritten();
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

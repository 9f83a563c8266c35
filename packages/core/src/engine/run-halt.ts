import type { KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import type { Budget } from "../resilience/budget.js";
import type { TestResult } from "./run-result.js";
import type { RunAbort } from "./run-abort.js";

/** Knows whether the run may start further trials, and why not. */
export class RunHalt {
  readonly #bail: number | null;
  readonly #stop: RunAbort;
  readonly #budget: Budget;
  #unsuccessful = 0;
  #halted: string | null = null;
  #unfinished: string | null = null;

  constructor({ bail }: Pick<RunPlan, "bail">, stop: RunAbort, budget: Budget) {
    this.#bail = bail;
    this.#stop = stop;
    this.#budget = budget;
  }

  /** What stopped the run before its end; null if nothing did. */
  get stoppedBy(): KindlmError | null {
    return this.#stop.stopped;
  }

  /** Why the last cases were not dispatched: `--bail`, the budget or filters; null if all were. */
  get haltedBy(): string | null {
    return this.#halted ?? this.#unfinished;
  }

  /** Counts a finished case for `--bail`. */
  count(result: TestResult): void {
    const counts = result.status === "errored" || (result.status === "failed" && result.allowFailure === null);
    if (counts) this.#unsuccessful += 1;
  }

  /** Why no further trial is started; null while the run goes on. */
  whyHalted(): string | null {
    if (this.#stop.stopped !== null) return reasonOf(this.#stop.stopped);
    const isBailed = this.#bail !== null && this.#unsuccessful >= this.#bail;
    if (isBailed) this.#halted ??= `stopped after ${this.#unsuccessful} failed or errored cases (--bail)`;
    this.#halted ??= this.#budget.refusal()?.message ?? null;
    return this.#halted;
  }

  /** Why a missing trial of the case is not run now; null if it is. */
  whyNotNow({ leftOut }: PlannedCase): string | null {
    const halted = this.whyHalted();
    if (halted !== null || leftOut === undefined) return halted;
    this.#unfinished ??= "the filters exclude cases that the run has not finished";
    return leftOut;
  }
}

/** Why a case was not started that an interruption came before. */
export const interruptedText = "interrupted";

function reasonOf(error: KindlmError): string {
  return error.code === "ENGINE_ABORTED" ? interruptedText : error.message;
}

import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { RunningProgram } from "../processes/process-runner.js";
import { countThreads } from "../processes/signal-process.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { renderSize } from "../values/size.js";
import { measureUsage, type Usage } from "./measure-usage.js";
import type { WorkspaceLimits } from "./workspace-config.js";

/** How often it is looked, milliseconds: thousands of processes can start within the tenth of a second. */
const everyMs = 20;
/** How often processes are counted if the machine has about as many as before. */
const countEveryMs = 500;
/** How often files are measured, unless that takes long. */
const measureEveryMs = 100;
/** At most this part of the time is spent on measuring files. */
const measuringShare = 0.1;

const unbounded: Usage = { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY };

type LimitName = keyof WorkspaceLimits;

/** A program while it is watched. */
export interface WatchedProgram {
  startedAt: number;
  /** Null until it has started. */
  program: RunningProgram | null;
}

/** Sees to it that the programs of a workspace keep to its limits. */
export class LimitWatch {
  readonly #limits: WorkspaceLimits;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onBreak: () => void;
  readonly #running = new Set<WatchedProgram>();
  #broken: KindlmError | null = null;
  /** Of the programs that have ended. */
  #ranMs = 0;
  /** Before the first program. */
  #base: Promise<Usage> | null = null;
  #measuring: Promise<void> | null = null;
  #nextMeasureAt = 0;
  /** Threads of the machine when processes were counted last. */
  #threads: number | null = null;
  #nextCountAt = 0;
  #cancelTick: (() => void) | null = null;

  /** `folder`: all that the programs can write to. `onBreak` is called once. */
  constructor(limits: WorkspaceLimits, folder: string, clock: Clock, onBreak: () => void) {
    this.#limits = limits;
    this.#folder = folder;
    this.#clock = clock;
    this.#onBreak = onBreak;
  }

  /** ENGINE_BUDGET_EXCEEDED of the first limit that was exceeded; null if none was. */
  get broken(): KindlmError | null {
    return this.#broken;
  }

  async begin(): Promise<WatchedProgram> {
    await (this.#base ??= measureUsage(this.#folder, unbounded));
    const watched: WatchedProgram = { startedAt: this.#clock.monotonic(), program: null };
    if (this.#running.size === 0) this.#threads = countThreads();
    this.#running.add(watched);
    this.#cancelTick ??= this.#clock.after(everyMs, () => this.#tick());
    return watched;
  }

  async end(watched: WatchedProgram): Promise<void> {
    this.#running.delete(watched);
    this.#ranMs += this.#clock.monotonic() - watched.startedAt;
    if (this.#running.size === 0) this.#stopTicking();
    this.#checkTime();
    await this.#measureIfDue();
  }

  /** Measures what is there when nothing runs any longer. */
  async conclude(): Promise<void> {
    this.#stopTicking();
    if (this.#base === null || this.#broken !== null) return;
    await this.#measuring;
    await this.#measure();
  }

  #tick(): void {
    this.#cancelTick = this.#clock.after(everyMs, () => this.#tick());
    this.#checkProcesses();
    this.#checkTime();
    void this.#measureIfDue();
  }

  #checkProcesses(): void {
    const { processes } = this.#limits;
    const threads = countThreads();
    const isSurge = threads !== null && threads - (this.#threads ?? threads) > processes / 2;
    const now = this.#clock.monotonic();
    if (!isSurge && now < this.#nextCountAt) return;
    this.#nextCountAt = now + countEveryMs;
    this.#threads = threads;
    const count = [...this.#running].reduce((sum, { program }) => sum + (program?.countProcesses() ?? 0), 0);
    if (count > processes) this.#break("processes", `started ${count} processes, at most ${processes} are allowed`);
  }

  #checkTime(): void {
    const { time } = this.#limits;
    if (time === null) return;
    const now = this.#clock.monotonic();
    const took = [...this.#running].reduce((sum, { startedAt }) => sum + now - startedAt, this.#ranMs);
    if (took > time) this.#break("time", `ran for more than ${renderDuration(time)}`);
  }

  async #measureIfDue(): Promise<void> {
    if (this.#broken !== null || this.#clock.monotonic() < this.#nextMeasureAt) return;
    await (this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = null;
    }));
  }

  async #measure(): Promise<void> {
    const { size, files } = this.#limits;
    const base = await this.#base;
    if (base === null) return;
    const from = this.#clock.monotonic();
    const usage = await measureUsage(this.#folder, { bytes: base.bytes + size, files: base.files + files });
    const now = this.#clock.monotonic();
    this.#nextMeasureAt = now + Math.max(measureEveryMs, (now - from) / measuringShare);
    if (usage.bytes - base.bytes > size) this.#break("size", `wrote more than ${renderSize(size)}`);
    if (usage.files - base.files > files) this.#break("files", `made more than ${files} files`);
  }

  #break(limit: LimitName, what: string): void {
    if (this.#broken !== null) return;
    const value = this.#limits[limit] ?? 0;
    this.#broken = kindlmError("ENGINE_BUDGET_EXCEEDED", `The commands of the agent ${what}`, {
      details: { limit, value },
    });
    this.#stopTicking();
    this.#onBreak();
  }

  #stopTicking(): void {
    this.#cancelTick?.();
    this.#cancelTick = null;
  }
}

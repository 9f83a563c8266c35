import type { Clock, RunEvent } from "@kindlm/core";
import { plural, withCounts } from "@kindlm/core/program";
import type { OutputStream } from "../sinks/output-stream.js";
import type { Colors } from "../terminal/colors.js";
import type { Keys, OnStop } from "../terminal/keys.js";
import type { KeptLines } from "../terminal/screen.js";
import type { Signs } from "../terminal/signs.js";
import { rowsOf } from "../terminal/text-width.js";
import type { CaseLines } from "./case-lines.js";
import { hasRoom, renderCounter, renderRegion, renderTrials, type RegionSettings } from "./render-region.js";
import { createRunProgress } from "./run-progress.js";

/** At most ten times per second. */
const leastMs = 100;
/** While nothing happens but time. */
const idleMs = 1_000;
/** A terminal that is dragged larger or smaller has many sizes. */
const resizeMs = 50;
/** Between two lines of counters where there is no live region. */
const counterMs = 30_000;
/** A wait is worth a line if it is longer. */
const longWaitMs = 5_000;
/** Text that stays is never wider. */
const mostColumns = 120;
/** Of a terminal that does not know its size. */
const usual = { columns: 80, rows: 24 };

export interface ProgressSettings {
  stream: OutputStream;
  clock: Pick<Clock, "now" | "after">;
  /** Whether the terminal can redraw lines. */
  hasRegion: boolean;
  /** Whether the terminal cuts lines when it is made narrower, instead of wrapping them. */
  isCutting: boolean;
  /** How wide text may be. */
  columns(): number;
  colors: Colors;
  signs: Signs;
  lines: CaseLines;
  /** Null if no keys can be read. */
  keys: Keys | null;
  onStop: OnStop;
  /** Whether a person has asked the run to end. */
  isStopping(): boolean;
  /** Makes untrusted text fit to be shown on one line. */
  safe(text: string): string;
}

/**
 * What is shown while a run goes on, as a fold of its events: a line for each case that did not pass, and below them a
 * live region, or a line of counters from time to time where lines cannot be redrawn.
 */
export class ShownProgress {
  readonly #settings: ProgressSettings;
  readonly #progress = createRunProgress();
  /** Lines that are not printed yet. */
  readonly #above: string[] = [];
  readonly #forget: (() => void)[] = [];
  #timer: { dueAt: number; cancel(): void } | null = null;
  #drawnAt = 0;
  #counterAt = 0;
  /** Nothing is drawn before. */
  #heldUntil = 0;
  #waitLineAt = Number.NEGATIVE_INFINITY;
  #isRunning = false;
  #isWriting = false;

  constructor(settings: ProgressSettings) {
    this.#settings = settings;
  }

  readonly onEvent = (event: RunEvent): void => {
    this.#progress.apply(event);
    switch (event.type) {
      case "run:start":
        return this.#start();
      case "run:end":
        return this.stop();
      case "case:end": {
        const { lines } = this.#settings;
        const line = lines.isShown(event) ? lines.lineFor(event, this.#room(), !this.#isRegionShown()) : null;
        if (line !== null) this.#above.push(line);
        break;
      }
      case "confirm:start":
        this.#above.push(`Confirming ${plural(event.cases, "suspect case")} with ${plural(event.trials, "new trial")}`);
        break;
      case "further:start":
        this.#above.push(withCounts`Not decided yet: running ${event.trials} further trials of ${event.cases} cases`);
        break;
      case "retry:start":
      case "limiter":
        this.#tellWait(event);
        break;
      case "suite:start":
      case "suite:end":
      case "assertion":
      case "tool:event":
      case "error":
        // Nothing that is shown depends on it.
        return;
      default:
    }
    this.#touch();
  };

  /** Leaves the stream clean for what is printed next. */
  stop(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#timer = null;
    for (const forget of this.#forget.splice(0)) forget();
    this.#above.push(...this.#settings.lines.rest(this.#room()));
    this.#print(null);
  }

  #start(): void {
    const { clock, stream, keys, onStop } = this.#settings;
    this.#isRunning = true;
    this.#drawnAt = this.#counterAt = clock.now();
    this.#forget.push(
      stream.onResize(this.#resize),
      onStop(
        () => this.#print(null),
        () => this.#touch(),
      ),
    );
    if (keys !== null) {
      this.#forget.push(
        keys.listen(({ name, ctrl }) => {
          if (name === "t" && !ctrl) this.#listTrials();
        }),
      );
    }
    this.#arm(this.#drawnAt + (this.#isRegionShown() ? leastMs : counterMs));
  }

  /** Something is to be shown. */
  #touch(): void {
    // Most events of a run come while a frame is due already, or where there is none.
    const dueAt = Math.max(this.#drawnAt + leastMs, this.#heldUntil);
    if (!this.#isRunning || (this.#timer !== null && this.#timer.dueAt <= dueAt)) return;
    if (!this.#settings.hasRegion && this.#above.length === 0) return;
    if (this.#isRegionShown()) this.#arm(Math.max(this.#settings.clock.now(), dueAt));
    else if (this.#above.length > 0) this.#print(null);
  }

  /** The terminal has another size, and may get more of them. */
  readonly #resize = (): void => {
    const now = this.#settings.clock.now();
    if (now >= this.#heldUntil) this.#heldUntil = now + resizeMs;
    this.#timer?.cancel();
    this.#timer = null;
    this.#arm(this.#heldUntil);
  };

  /** Draws at that time, unless it does so earlier. */
  #arm(dueAt: number): void {
    if (this.#timer !== null && this.#timer.dueAt <= dueAt) return;
    this.#timer?.cancel();
    const { clock } = this.#settings;
    const cancel = clock.after(Math.max(0, dueAt - clock.now()), () => {
      this.#timer = null;
      this.#draw();
    });
    this.#timer = { dueAt, cancel };
  }

  #draw(): void {
    const now = this.#settings.clock.now();
    if (!this.#isRegionShown()) {
      if (now - this.#counterAt >= counterMs) this.#addCounter(now);
      this.#print(null);
      return this.#arm(this.#counterAt + counterMs);
    }
    // A terminal that is slow gets fewer frames, not later ones.
    if (this.#isWriting) return this.#arm(now + leastMs);
    this.#drawnAt = now;
    this.#print(this.#region(now));
    this.#arm(now + idleMs);
  }

  #region(now: number): KeptLines {
    const { isCutting, lines: cases } = this.#settings;
    const view = this.#view(now);
    const lines = renderRegion(this.#progress.state, (room) => cases.counters(room), view);
    const rowsAt = (columns: number): number =>
      isCutting || columns >= view.columns ? lines.length : lines.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    return { lines, rowsAt };
  }

  /** Prints what waits to be, with the region below it. */
  #print(kept: KeptLines | null): void {
    const above = this.#above.splice(0).map((line) => `${line}\n`);
    this.#isWriting = true;
    void this.#settings.stream.draw(above.join(""), kept).then(() => {
      this.#isWriting = false;
    });
  }

  /** All trials that are under way, for a person who asks. */
  #listTrials(): void {
    const { clock } = this.#settings;
    const now = clock.now();
    const { state } = this.#progress;
    this.#addCounter(now);
    this.#above.push(...renderTrials(state, state.running.inOrder(), this.#room(), this.#view(now)));
    this.#touch();
  }

  #addCounter(now: number): void {
    this.#counterAt = now;
    this.#above.push(renderCounter(this.#progress.state, this.#room(), this.#view(now)));
  }

  /** A run that stands still says why. A call that is alone and not tried again waits for nothing. */
  #tellWait(event: Extract<RunEvent, { type: "retry:start" | "limiter" }>): void {
    if (this.#isRegionShown() || event.time - this.#waitLineAt < counterMs) return;
    const isRetry = event.type === "retry:start";
    const waitMs = isRetry ? event.waitMs : event.pausedMs;
    const isFelt = isRetry || event.because === "waiting" || this.#progress.state.running.size > 1;
    if (waitMs <= longWaitMs || !isFelt) return;
    this.#waitLineAt = event.time;
    const isLimited = isRetry ? event.error.code === "PROVIDER_RATE_LIMIT" : event.because !== "waiting";
    const reason = isLimited ? "rate limit" : isRetry ? "after an error" : "to keep its limits";
    const seconds = Math.ceil(waitMs / 1_000);
    this.#above.push(this.#settings.safe(`  waiting ${seconds} s for ${event.provider} ${reason}`));
  }

  #isRegionShown(): boolean {
    return this.#settings.hasRegion && hasRoom(this.#size());
  }

  #size(): { columns: number; rows: number } {
    const { stream } = this.#settings;
    return { columns: stream.columns() ?? usual.columns, rows: stream.rows() ?? usual.rows };
  }

  /** How wide lines that stay may be. The last column stays free: writing to it makes some terminals wrap. */
  #room(): number {
    return Math.min(mostColumns, this.#settings.columns()) - 1;
  }

  #view(now: number): RegionSettings {
    const { colors, signs, safe, isStopping } = this.#settings;
    return { ...this.#size(), now, colors, signs, safe, isStopping: isStopping() };
  }
}

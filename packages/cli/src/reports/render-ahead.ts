import type { Redactor, RenderCase, RunEvent, TestResult, TrialResult } from "@kindlm/core";
import { attemptSync } from "@kindlm/core/program";
import type { Reporter } from "../reporters/registry.js";
import type { ReportOptions } from "../reporters/report-options.js";

/** So much text is kept until the report is written, UTF-16 code units. */
const mostText = 4_194_304;
/** So many cases wait to be rendered, each with its conversation: where a run is never idle, the others are not. */
const mostWaiting = 64;

/** A reporter that can render cases ahead, with what it has rendered. */
interface Rendering {
  texts: Map<TestResult, string>;
  render: RenderCase | null;
}

/**
 * Renders and masks cases while the run waits for answers, which takes its time off the end of the run: one case at a time, and only
 * in turns of the event loop in which nothing of the run happened.
 */
export class RenderAhead {
  readonly #options: ReportOptions;
  readonly #redactor: Pick<Redactor, "prepare">;
  readonly #renderings = new Map<Reporter, Rendering>();
  #waiting: { test: TestResult; trial: TrialResult }[] = [];
  #room = mostText;
  #hasHappened = false;
  #isLoaded = false;

  constructor(reporters: readonly Reporter[], options: ReportOptions, redactor: Pick<Redactor, "prepare">) {
    this.#options = options;
    this.#redactor = redactor;
    for (const reporter of reporters) {
      if (reporter.loadRenderCase !== undefined) this.#renderings.set(reporter, { texts: new Map(), render: null });
    }
  }

  /** What was rendered for a reporter. */
  textsOf(reporter: Reporter): ReadonlyMap<TestResult, string> | undefined {
    return this.#renderings.get(reporter)?.texts;
  }

  /** Null if no reporter renders ahead. */
  get listener(): ((event: RunEvent) => void) | null {
    return this.#renderings.size === 0 ? null : (event) => this.#listen(event);
  }

  #listen(event: RunEvent): void {
    this.#hasHappened = true;
    if (event.type === "run:start") void this.#load();
    else if (event.type === "run:end") this.#waiting = [];
    else if (event.type === "case:end" && event.trial !== null) this.#add(event.result, event.trial);
  }

  async #load(): Promise<void> {
    for (const [reporter, rendering] of this.#renderings) {
      rendering.render = (await reporter.loadRenderCase?.()) ?? null;
    }
    this.#isLoaded = true;
    this.#awaitTurn();
  }

  #add(test: TestResult, trial: TrialResult): void {
    if (this.#room <= 0 || this.#waiting.length >= mostWaiting) return;
    this.#waiting.push({ test, trial });
    if (this.#waiting.length === 1) this.#awaitTurn();
  }

  #awaitTurn(): void {
    if (this.#isLoaded && this.#waiting.length > 0) setImmediate(() => this.#turn());
  }

  #turn(): void {
    const next = this.#hasHappened ? undefined : this.#waiting.shift();
    this.#hasHappened = false;
    if (next !== undefined) this.#render(next.test, next.trial);
    this.#awaitTurn();
  }

  #render(test: TestResult, trial: TrialResult): void {
    for (const [{ format }, { texts, render }] of this.#renderings) {
      if (render === null) continue;
      // What fails here fails again when the report is written, which says so.
      const rendered = attemptSync(
        () => render(test, trial, this.#options),
        () => null,
      );
      if (!rendered.success) continue;
      texts.set(test, rendered.data);
      this.#redactor.prepare(rendered.data, format);
      this.#room -= rendered.data.length;
    }
  }
}

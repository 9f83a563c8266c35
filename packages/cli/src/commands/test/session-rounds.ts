import type { Environment, KindlmError, RunResult } from "@kindlm/core";
import { plural, withCounts } from "@kindlm/core/program";
import type { Again, Outlook, Watch } from "@kindlm/core/commands/watch-tests";
import type { CliEnvironment } from "../../environment.js";
import type { RunMessages } from "../../listeners/run-messages.js";
import { columnsOf } from "../../terminal/columns.js";
import type { Places } from "./file-watcher.js";
import { namesOfFiles, renderRule, usd } from "./render-prompt.js";
import type { Screen } from "./screen.js";

export interface RoundSettings {
  watch: Watch;
  environment: CliEnvironment;
  messages: RunMessages;
  screen: Screen;
  /** What the session may pay for. */
  limitUsd: number;
  /** `auto` pays without a question, `never` pays for nothing. */
  spend: "auto" | "ask" | "never";
  /** Watches these places from now on. Resolves with whether folders were added, in which something may have changed. */
  watchPlaces(places: Places): Promise<boolean>;
  /** Runs a round and prints its report; null if it could not start. */
  report(run: (world: Environment) => ReturnType<Outlook["run"]>): Promise<RunResult | null>;
}

/** Rounds in a row that start because something changed during the one before. */
const mostOwnRounds = 3;

interface PaidRequest {
  trialsEach?: number;
}

/** What a session knows of its tests, and the rounds that it runs. */
export class SessionRounds {
  readonly #settings: RoundSettings;
  /** Absolute paths of files that changed since the cases that wait were run. */
  readonly changed = new Set<string>();
  outlook: Outlook | null = null;
  again: Again = "changed";
  /** Case IDs contain it; null for no filter. */
  text: string | null = null;
  /** IDs of the cases that did not pass since only those are run; null if all are. */
  failed: ReadonlySet<string> | null = null;
  /** The result of the last round. */
  last: RunResult | null = null;
  spentUsd = 0;
  #told = "";
  /** Whether what the last look has read may have changed since. */
  #isStale = true;
  /** Something changed during the last round; and how many rounds in a row that has started. */
  #isOwnChange = false;
  #ownRounds = 0;
  /** Stops the round that is under way; null while none is. */
  #round: AbortController | null = null;
  /** Stops the replays of a look that is under way; null while none is. */
  #looking: AbortController | null = null;

  constructor(settings: RoundSettings) {
    this.#settings = settings;
  }

  get isRunning(): boolean {
    return this.#round !== null;
  }

  /** Whether anything is left to run, with a question or without. */
  get hasWork(): boolean {
    const { free, waiting } = this.outlook ?? {};
    return (free?.cases ?? 0) + (waiting?.cases ?? 0) > 0;
  }

  /** Returns whether there was something to stop. */
  stop(): boolean {
    const busy = this.#round ?? this.#looking;
    if (busy === null || busy.signal.aborted) return false;
    busy.abort();
    return true;
  }

  /** Takes note of a changed file. What changes during a round may be the work of the tests themselves. */
  noteChange(path: string): void {
    this.changed.add(path);
    this.expectChanges();
    if (this.isRunning) this.#isOwnChange = true;
    else this.#ownRounds = 0;
  }

  /** The next look reads everything: the watcher may have missed a change. */
  expectChanges(): void {
    this.#isStale = true;
  }

  setOnlyFailed(isOn: boolean): void {
    this.failed = isOn && this.last !== null ? new Set(notPassed(this.last)) : null;
  }

  /** Finds out what there is to do. Returns what keeps everything from running, which is printed. */
  async look(again: Again): Promise<KindlmError | null> {
    const { watch, environment, watchPlaces, messages, screen } = this.#settings;
    const filters = {
      ...(this.text === null ? {} : { tests: [this.text] }),
      ...(this.failed === null ? {} : { cases: [...this.failed] }),
    };
    this.#looking = new AbortController();
    const world = { ...environment.core, signal: this.#looking.signal };
    const isUnchanged = !this.#isStale;
    this.#isStale = false;
    let looked = await watch.look({ again, filters, isUnchanged }, world);
    // What happened in a folder before it was watched would never be noticed.
    if (await watchPlaces(watch.places())) looked = await watch.look({ again, filters }, world);
    this.#looking = null;
    this.again = again;
    this.outlook = looked.success ? looked.data : null;
    const told = looked.success ? messages.diagnostics(looked.data.problems) : messages.error(looked.error);
    if (told !== this.#told) await screen.print(told);
    this.#told = told;
    return looked.success ? null : looked.error;
  }

  /** Runs what needs no question. */
  async runDue(why: string): Promise<void> {
    if (this.outlook === null) return;
    const { free, waiting, isDue } = this.outlook;
    const isOwn = this.#isOwnChange;
    this.#isOwnChange = false;
    const mayPay = this.#settings.spend === "auto" && !isOwn && waiting.cases > 0 && this.#leftUsd() > 0;
    if (free.cases > 0 || isDue || mayPay) {
      this.#ownRounds += isOwn ? 1 : 0;
      if (this.#ownRounds <= mostOwnRounds) return this.#run(this.outlook, why, { mayPay });
      const title = `The tests themselves seem to change ${why}`;
      await this.#settings.screen.print(
        this.#settings.messages.remark({ title, fix: "Press Enter to run them again" }),
      );
    } else if (waiting.cases === 0) this.changed.clear();
  }

  /** Runs what waits, as far as the session may pay for it. */
  async pay(request: PaidRequest = {}): Promise<void> {
    const { spend, limitUsd, screen, messages } = this.#settings;
    if (this.outlook === null || !this.hasWork) return;
    this.#ownRounds = 0;
    const mayPay = spend !== "never" && this.#leftUsd() > 0;
    if (!mayPay && this.outlook.waiting.cases > 0) await screen.print(messages.remark(whyUnpaid(spend, limitUsd)));
    if (mayPay || this.outlook.free.cases > 0) {
      await this.#run(this.outlook, whyOf(this.again, [...this.changed]), { ...request, mayPay });
    }
  }

  async #run(outlook: Outlook, why: string, request: PaidRequest & { mayPay: boolean }): Promise<void> {
    const { screen, environment, report } = this.#settings;
    const round = new AbortController();
    this.#round = round;
    // What changes while the round runs is not part of it.
    const settled = request.mayPay || outlook.waiting.cases === 0 ? [...this.changed] : [];
    const time = new Date(environment.clock.now()).toLocaleTimeString("en-GB");
    await screen.begin(renderRule(time, why, columnsOf(environment, environment.stderr)));
    const result = await report((world) =>
      outlook.run({ ...request, limitUsd: this.#leftUsd() }, { ...world, signal: round.signal }),
    );
    this.#round = null;
    if (result !== null) {
      this.last = result;
      this.spentUsd += result.run.carried?.paidUsd ?? 0;
      if (this.failed !== null) this.failed = new Set([...this.failed, ...notPassed(result)]);
      await screen.print(describeRound(result));
    }
    for (const file of settled) this.changed.delete(file);
    await this.look("changed");
  }

  #leftUsd(): number {
    return Math.max(0, this.#settings.limitUsd - this.spentUsd);
  }
}

/** IDs of the cases that failed or errored. */
export function notPassed({ suites }: RunResult): readonly string[] {
  return suites
    .flatMap(({ tests }) => tests)
    .filter(({ status }) => status === "failed" || status === "errored")
    .map(({ id }) => id);
}

function describeRound({ run: { carried } }: RunResult): string {
  if (carried === undefined) return "";
  const { trials, evaluated, replayed, paidUsd } = carried;
  const facts = [
    ...(trials === 0 ? [] : [`${plural(trials, "trial")} carried over`]),
    ...(evaluated === 0 ? [] : [withCounts`${evaluated} evaluated again`]),
    ...(replayed === 0 ? [] : [withCounts`${replayed} replayed`]),
    ...(paidUsd === 0 ? [] : [`${usd(paidUsd)} paid`]),
  ];
  return facts.length === 0 ? "" : `${facts.join(" · ")}\n`;
}

function whyUnpaid(spend: RoundSettings["spend"], limitUsd: number): { title: string; fix: string } {
  return spend === "never"
    ? { title: "Nothing was sent, because of --spend never", fix: "Start again without it" }
    : { title: `The session has used its ${usd(limitUsd)}`, fix: "Start again with a higher --max-cost" };
}

function whyOf(again: Again, changed: readonly string[]): string {
  if (again === "all") return "all again";
  if (again === "errored") return "errored again";
  return changed.length === 0 ? "what waited" : namesOfFiles(changed);
}

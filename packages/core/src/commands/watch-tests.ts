import type { RunResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { removeRun } from "../journal/remove-old-runs.js";
import { runFolderOf } from "../journal/run-folder.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import { createCaseFilter } from "../plan/case-filter.js";
import { loadIdentifier } from "../plan/identity/load-identifier.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { RunTestsOptions, TestFilters } from "../plan/run-options.js";
import { createProcessRunner } from "../processes/node-process-runner.js";
import type { ProcessRunner } from "../processes/process-runner.js";
import { success, type Result } from "../result.js";
import { conductRun } from "../run/conduct-run.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { preparePlan, type PreparedPlan } from "../run/prepare-plan.js";
import { createSystemClock } from "../values/clock.js";
import { KeptTrials } from "../watch/kept-trials.js";
import { basisAfter, differs, lookAhead, type LookedAhead, type RunBasis } from "../watch/look-ahead.js";
import { findRecordedCases, replayCases, type WaitingPlan } from "../watch/replay-waiting.js";
import type { Again, RoundWork } from "../watch/round-work.js";
import { TrialStandings } from "../watch/trial-standings.js";
import { createCarriedTrials, planRound } from "../watch/watch-round.js";

export type { Again, RoundWork } from "../watch/round-work.js";

/** The most rounds of a session that stay on the disk. */
const mostRounds = 10;

/** What a session of watch mode wants to know. */
export interface WatchWish {
  /** Default: `changed`. */
  again?: Again;
  /** The cases that may run. Others are carried over, or wait. */
  filters?: Pick<TestFilters, "tests" | "cases">;
  /** Nothing that the config depends on has changed since the last look, so it is not read again. Default: false. */
  isUnchanged?: boolean;
}

export interface RoundRequest {
  /** Whether the round may call what may cost money. */
  mayPay: boolean;
  /** The most trials of each case that it runs. Default: all that are missing. */
  trialsEach?: number;
  /** What it may cost, US dollars. */
  limitUsd?: number;
}

/** What a round of watch mode would do. */
export interface Outlook {
  free: RoundWork;
  waiting: RoundWork;
  /** Cases that stay errored until somebody wants them again. */
  errored: number;
  /** Trials that are carried over. */
  kept: number;
  /** Cases that the filters take, of `cases` in all. */
  taken: number;
  cases: number;
  /** Whether a round without anything that waits would have other results than the last one of the session. */
  isDue: boolean;
  /** What is wrong with suites that cannot run. */
  problems: readonly Diagnostic[];
  /** Runs the round: a whole run with its own journal, in which carried trials are as they were. */
  run(request: RoundRequest, environment: Environment): Promise<Result<RunResult>>;
}

/** A session of watch mode. It holds no lock and no file open between two rounds. */
export interface Watch {
  /** Reads the config, and compares its cases with the trials that the kept runs have. Fails where no run would start. */
  look(wish: WatchWish, environment: Environment): Promise<Result<Outlook>>;
  /** The places that the config depended on at the last look, also where that failed. `below`: any file below a folder. */
  places(): ReadonlyMap<string, "file" | "below">;
}

/** Opens a session: rounds of the same tests, each of which runs only what the kept runs do not have. */
export function openWatch(options: RunTestsOptions): Watch {
  return new WatchSession(options);
}

class WatchSession implements Watch {
  readonly #options: RunTestsOptions;
  readonly #kept = new KeptTrials();
  readonly #rounds: string[] = [];
  /** One for the session, because each takes part in the end of the process. */
  #processes: ProcessRunner | null = null;
  #places = new Map<string, "file" | "below">();
  /** What the last look has read; null before the first, and where that failed. */
  #read: PreparedPlan | null = null;
  #last: RunBasis | null = null;
  /** What kept cases waiting although they have recordings: a replay of them would end as it did. */
  #unanswered: ReadonlySet<string> = new Set();

  constructor(options: RunTestsOptions) {
    // Watch mode shows the effect of a change on each case; comparisons are for runs.
    this.#options = { ...options, untilDecided: false };
  }

  places(): ReadonlyMap<string, "file" | "below"> {
    return this.#places;
  }

  look(wish: WatchWish, environment: Environment): Promise<Result<Outlook>> {
    const places = new Map(wish.isUnchanged === true ? this.#places : []);
    const onDependency: Environment["onDependency"] = (place, kind) => void places.set(place, kind);
    this.#places = places;
    return withRunWorld({ ...this.#around(environment), onDependency }, (world) => this.#lookIn(world, wish));
  }

  #around(environment: Environment): Environment {
    const { clock = createSystemClock(), atExit } = environment;
    this.#processes ??= createProcessRunner(clock, atExit);
    return { processes: this.#processes, ...environment };
  }

  async #lookIn(world: RunWorld, wish: WatchWish): Promise<Result<Outlook>> {
    const { again = "changed", filters = {}, isUnchanged = false } = wish;
    const read = isUnchanged && this.#read !== null ? success(this.#read) : await preparePlan(this.#options, world);
    this.#read = read.success ? read.data : null;
    if (!read.success) return read;
    const { config, plan } = read.data;
    const filter = createCaseFilter(filters, null);
    if (!filter.success) return filter;
    const identify = await loadIdentifier(config, plan, world.onDependency);
    await this.#kept.refresh(plan.root);
    const { redact } = world.redactor;
    const takes = ({ id }: PlannedCase): boolean => filter.data.takesCase(id);
    const settings = { kept: this.#kept, identify, redact, takes };
    const isReplay = (this.#options.cassette ?? config.cassette) === "replay";
    const standings = new TrialStandings({ ...settings, seed: plan.seed, again, isReplay });
    const lookNow = (): LookedAhead => lookAhead({ ...settings, plan, standings });
    let looked = lookNow();
    if (again === "changed" && this.#cassetteOf(config, looked.isOtherCode) === "auto") {
      const waiting = { options: this.#options, config, plan, identify, standings };
      looked = await this.#replayWaiting({ ...waiting, looked }, lookNow, world);
    }
    const broken = plan.suites.filter((suite) => suite.status === "broken");
    const { free, waiting, errored, kept, taken, cases } = looked;
    const cassette = this.#cassetteOf(config, again === "all" || looked.isOtherCode);
    const run: Outlook["run"] = ({ mayPay, trialsEach = null, limitUsd }, environment) =>
      withRunWorld(this.#around(environment), async (roundWorld) => {
        const round = planRound(plan, standings, { mayPay, trialsEach, takes });
        const limits = [plan.maxCostUsd, limitUsd ?? null].filter((limit) => limit !== null);
        const maxCostUsd = limits.length === 0 ? null : Math.min(...limits);
        const recorded = { source: null, trials: createCarriedTrials(standings) };
        const options = { ...this.#options, cassette };
        const planned = { options, config, plan: { ...round, maxCostUsd }, identify, earlier: null, recorded };
        const ended = await conductRun(planned, roundWorld);
        if (!ended.success) return ended;
        this.#kept.forgetReplayed();
        this.#last = basisAfter(looked, mayPay);
        await this.#keepRounds(plan.root, ended.data.run.id, roundWorld);
        return ended;
      });
    const isDue = differs(
      looked,
      this.#last,
      broken.map(({ name }) => name),
    );
    const shown = { free, waiting, errored, kept, taken, cases };
    return success({ ...shown, isDue, problems: broken.flatMap(({ diagnostics }) => diagnostics), run });
  }

  /** Whatever recordings alone answer waits no longer. Nothing is sent. */
  async #replayWaiting(
    { looked, ...waiting }: Omit<WaitingPlan, "waitingIds"> & { looked: LookedAhead },
    lookNow: () => LookedAhead,
    world: RunWorld,
  ): Promise<LookedAhead> {
    const { leftOutIds, basis } = looked;
    const waitingIds = new Set([...looked.waitingIds].filter((id) => !leftOutIds.has(id)));
    const wanted = { ...waiting, waitingIds };
    const recorded = await findRecordedCases(wanted, world.redactor.redact);
    const keyOf = (id: string): string => `${basis.cases.get(id) ?? ""} ${recorded.get(id) ?? ""} ${id}`;
    const ids = [...recorded.keys()].filter((id) => !this.#unanswered.has(keyOf(id)));
    if (ids.length === 0) return looked;
    this.#kept.addReplayed(waiting.plan.seed, await replayCases(wanted, new Set(ids), world));
    const after = lookNow();
    const isOver = world.signal?.aborted !== true;
    this.#unanswered = new Set([...recorded.keys()].filter((id) => isOver && after.waitingIds.has(id)).map(keyOf));
    return after;
  }

  /** Recordings are what makes a change that is taken back free. Those of other code, or of answers that nobody wants any longer, are replaced. */
  #cassetteOf({ cassette }: ResolvedConfig, isReplaced: boolean): RunTestsOptions["cassette"] {
    const wanted = this.#options.cassette ?? (cassette === "off" ? "auto" : cassette);
    return wanted === "auto" && isReplaced ? "record" : wanted;
  }

  /** A session has very many rounds, and the runs of its project shall not give way to them. */
  async #keepRounds(root: string, id: string, { clock }: RunWorld): Promise<void> {
    this.#rounds.push(id);
    for (const old of this.#rounds.splice(0, Math.max(0, this.#rounds.length - mostRounds))) {
      await removeRun(runFolderOf(root, old), clock);
    }
  }
}

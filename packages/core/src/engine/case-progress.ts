import { everyCall } from "../transcript/delegated-calls.js";
import type { AssertionResult } from "../assertions/assertion-result.js";
import { type KindlmError, kindlmError } from "../errors/kindlm-error.js";
import { checkHashOf, type CaseIdentity } from "../plan/identity/case-identity.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import { decideUnmet, type FaultReport } from "../tools/faults/fault-report.js";
import { addCosts } from "../values/add-costs.js";
import { counts, decideVerdict } from "./decide-verdict.js";
import { decideCaseEnd, mayEndEarly, nextWaveSize, type EarlyEnd } from "./early-end/early-end.js";
import type { SourcePosition } from "../errors/source-position.js";
import type { Outcome } from "./outcome.js";
import { positionsOfResults } from "./evaluate-trial.js";
import { addAttack } from "./injection/attack-tally.js";
import type { CaseAttack } from "./injection/injection-record.js";
import type { Route } from "../summary/routing-table.js";
import { addGroup } from "./add-group.js";
import { addRoutes } from "./routing/routing-of.js";
import { passesAtFirstTry } from "./retry-until/first-try-rate.js";
import type { TestResult, TrialResult } from "./run-result.js";
import { EffortTally } from "./effort.js";
import { noFurtherTrials } from "./extra-trials/extra-trials.js";

/** What is kept of the decisive trial until the case is over; a whole trial may be large. */
type Decisive = Pick<TrialResult, "trial" | "status" | "assertions">;

/** The trials of a case on their way to a verdict. A class, because a run makes one for each of very many cases. */
export class CaseProgress {
  readonly planned: PlannedCase;
  private readonly outcomes: (Outcome | undefined)[] = [];
  private awaited: number;
  private finished = 0;
  private rendering: Result<RenderedCase> | null = null;
  private decisive: Decisive = { trial: 0, status: "passed", assertions: [] };
  private latencyMs = 0;
  private costUsd: number | null = 0;
  private fallback: string | null = null;
  private servedBy: string | null = null;
  private programs: string | null = null;
  private nudges: { count: number; trials: number } | null = null;
  private toolFallbacks = 0;
  private routes: readonly Route[] | null = null;
  private effort: EffortTally | null = null;
  /** Null while no trial had a fault of kind inject. */
  private attack: CaseAttack | null = null;
  /** What became of the faults, trial by trial; null while no trial had any. */
  private faults: (readonly FaultReport[])[] | null = null;
  private earlyEnd: EarlyEnd | null = null;
  readonly mayEndEarly: boolean;
  /** Null where no answer has to be approved. */
  private firstTryPasses: number | null;
  constructor(planned: PlannedCase) {
    this.firstTryPasses = planned.test.retries === undefined ? null : 0;
    this.planned = planned;
    this.awaited = planned.runs;
    this.mayEndEarly = mayEndEarly(planned);
  }

  /** The case with its placeholders filled in, made once. */
  rendered(): Result<RenderedCase> {
    this.rendering ??= this.planned.render();
    return this.rendering;
  }

  /** Takes a finished trial; true when it was the last that is awaited. */
  finish(trial: TrialResult): boolean {
    this.finished += 1;
    this.outcomes[trial.trial - 1] = { status: trial.status, error: trial.error };
    this.latencyMs += trial.latencyMs;
    if (counts(trial)) (this.effort ??= new EffortTally()).add(trial);
    this.fallback ??= trial.fallback;
    if (trial.servedBy !== null) this.servedBy = joinNames(this.servedBy, trial.servedBy);
    for (const name of trial.gateway?.programs ?? []) this.programs = joinNames(this.programs, name);
    if (this.firstTryPasses !== null && passesAtFirstTry(trial)) this.firstTryPasses += 1;
    if (trial.nudges !== undefined) {
      const { count, trials } = this.nudges ?? { count: 0, trials: 0 };
      this.nudges = { count: count + trial.nudges.length, trials: trials + 1 };
    }
    for (const call of everyCall(trial.toolCalls)) if (call.fallback !== undefined) this.toolFallbacks += 1;
    if (trial.faults !== undefined) (this.faults ??= []).push(trial.faults);
    this.attack = addAttack(this.attack, trial);
    this.routes = addRoutes(this.routes, trial.assertions);
    this.costUsd = addCosts(this.costUsd, trial.costUsd);
    if (this.finished === 1 || showsMore(trial, this.decisive)) {
      this.decisive = { trial: trial.trial, status: trial.status, assertions: trial.assertions };
    }
    return this.isOver;
  }

  /** One of the trials will not be started; true if no other is awaited. */
  leaveOut(): boolean {
    this.awaited -= 1;
    return this.isOver;
  }

  /** Ends a case that may end early where its trials so far decide it; none may be under way. True when it did. */
  endEarly(): boolean {
    if (!this.mayEndEarly || this.isOver) return false;
    this.earlyEnd = decideCaseEnd(this.outcomes, this.planned);
    if (this.earlyEnd !== null) this.awaited = this.finished;
    return this.earlyEnd !== null;
  }

  /** How many of its trials can be started before any of them may turn out to be needless. */
  nextWaveSize(): number {
    return nextWaveSize(this.outcomes, this.planned);
  }

  /** No trial is awaited. */
  get isOver(): boolean {
    return this.finished === this.awaited;
  }

  /** What the assertions of the decisive trial found. */
  get assertions(): readonly AssertionResult[] {
    return this.decisive.assertions;
  }

  /** What few cases have is left out of the others. */
  private addHelp(result: object): void {
    if (this.nudges !== null) Object.assign(result, { nudges: this.nudges });
    if (this.toolFallbacks > 0) Object.assign(result, { toolFallbacks: this.toolFallbacks });
    if (this.routes !== null) Object.assign(result, { routes: this.routes });
    if (this.attack !== null) Object.assign(result, { attack: this.attack });
    if (this.firstTryPasses !== null) Object.assign(result, { firstTryPasses: this.firstTryPasses });
    if (this.mayEndEarly) Object.assign(result, this.earlyMarks());
  }

  /** Only of a failure, they are of use to anybody. */
  private addPositions(result: object): void {
    const { assertionPositions: written } = this.planned.test;
    const rendered = written.length === 0 ? null : this.rendered();
    if (rendered?.success !== true) return;
    const positions = [...written, ...positionsOfGoals(this.planned)];
    Object.assign(result, { assertionPositions: positionsOfResults(rendered.data.assertions, positions) });
  }

  /** The rate of trials that were chosen by how the others ended has no interval that would hold. */
  private earlyMarks(): object {
    const marks = { endedEarly: this.earlyEnd !== null, trialsRun: this.finished };
    return this.earlyEnd === null ? marks : { ...marks, interval: null };
  }

  /** `identity`: of the case; `isReplay`: recordings alone answer; `keepName` keeps one copy of equal strings. */
  toResult(identity: CaseIdentity, isReplay: boolean, keepName: (name: string) => string): TestResult {
    const { planned } = this;
    const trials = this.outcomes.filter((outcome) => outcome !== undefined);
    const verdict = decideVerdict(trials, planned.required, planned.runs);
    const unmet = this.faults === null || verdict.status === "errored" ? null : decideUnmet(this.faults);
    const status = this.earlyEnd?.status ?? verdict.status;
    const error = unmet ?? (status === "errored" ? firstError(trials) : null);
    // Written out rather than spread: this is done once per case of the run.
    const result = {
      id: planned.id,
      suite: planned.suite,
      name: planned.test.name,
      model: planned.agentId,
      row: planned.row?.key ?? null,
      prompt: planned.prompt.id,
      fault: planned.fault.id,
      tags: planned.test.tags,
      critical: planned.test.critical,
      allowFailure: planned.test.allowFailure,
      position: planned.test.position,
      mixed: verdict.mixed,
      passes: verdict.passes,
      required: planned.required,
      runs: planned.runs,
      counted: verdict.counted,
      interval: verdict.interval,
      latencyMs: trials.length === 0 ? 0 : this.latencyMs / trials.length,
      costUsd: this.costUsd,
      decisiveTrial: this.decisive.trial,
      fallback: this.fallback,
      servedBy: this.servedBy === null ? null : keepName(this.servedBy),
      agentHash: identity.agentHash,
      checkHash: checkHashOf(identity),
      status: unmet === null ? status : "errored",
      error,
      // Nearly all have it, and what is added later takes more memory. The last field leaves no trace.
      effort: unmet === null ? this.effort?.result() : undefined,
    };
    if (result.effort === undefined) delete result.effort;
    if (this.programs !== null) Object.assign(result, { programs: keepName(this.programs) });
    this.addHelp(result);
    if (result.status === "failed") this.addPositions(result);
    addGroup(result, planned);
    if (planned.maxRuns !== undefined) Object.assign(result, { further: noFurtherTrials(planned.maxRuns) });
    if (isDeterministicCase(planned, isReplay)) Object.assign(result, { deterministic: true });
    if (unmet !== null) Object.assign(result, nothingCounts);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is errored exactly where there is an error
    return result as TestResult;
  }
}

/** In the order of the faults that attack, as their goals follow the test's own assertions. */
function positionsOfGoals({ test: { goals = [] }, fault }: PlannedCase): readonly SourcePosition[] {
  return fault.faults.flatMap(({ id }) => goals.find(({ faults }) => faults.includes(id))?.position ?? []);
}

function joinNames(names: string | null, another: string): string {
  if (names === null || names === another) return another;
  return [...new Set([...names.split(", "), another])].toSorted().join(", ");
}

/** Of a case that proves nothing, no trial counts. */
const nothingCounts = { mixed: false, passes: 0, counted: 0, interval: null };

const rank = { failed: 2, errored: 1, passed: 0 } as const;

/** A failed trial says more than an errored one; among equals the first of the bad and the last of the good counts. */
function showsMore(candidate: Decisive, current: Decisive): boolean {
  const difference = rank[candidate.status] - rank[current.status];
  if (difference !== 0) return difference > 0;
  return candidate.status === "passed" ? candidate.trial > current.trial : candidate.trial < current.trial;
}

function firstError(trials: readonly Outcome[]): KindlmError {
  const errored = trials.find((trial) => trial.error !== null);
  return errored?.error ?? kindlmError("ENGINE_ABORTED", "The run was stopped before the case was decided");
}

/**
 * Whether the same agent would do the same again, with the same verdict: every model in the conversation and every one
 * that assertions ask is scripted and draws no lots, or recordings answer for all of them. Programs always do as they please.
 */
export function isDeterministicCase(planned: PlannedCase, isReplay: boolean): boolean {
  const { model, fallbacks, simulator, judges, embedders } = planned;
  if (model === null) return false;
  if (isReplay) return true;
  const asked = [...judges.values(), ...embedders.values()].flatMap(({ models }) => models);
  const others = [...fallbacks, ...(simulator ?? []), ...asked];
  return model.deterministic && others.every((other) => other.model.deterministic);
}

import { gateRulesOf } from "../plan/gate-rules.js";
import type { Identifier } from "../plan/identity/case-identity.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import type { KeptTrials } from "./kept-trials.js";
import type { CaseStandings, TrialStandings } from "./trial-standings.js";
import type { RoundWork } from "./round-work.js";
import { shareOf, type CaseShare, type RoundChoice } from "./watch-round.js";

/** What the results of a run depend on, for a comparison with the next one. */
export interface RunBasis {
  rules: string;
  cases: ReadonlyMap<string, string>;
}

export interface LookedAhead {
  /** Done without a question. */
  free: RoundWork;
  /** Waits until somebody allows it, because it calls what may cost money. */
  waiting: RoundWork;
  /** Cases that stay errored until somebody wants them again. */
  errored: number;
  /** Trials that are carried over. */
  kept: number;
  /** Cases that the filters take, of `cases` in all. */
  taken: number;
  cases: number;
  /** A trial that is run has other code behind its target than its recordings. */
  isOtherCode: boolean;
  basis: RunBasis;
  /** The cases that wait, and those of them that the filters leave out. */
  waitingIds: ReadonlySet<string>;
  leftOutIds: ReadonlySet<string>;
}

interface LookSettings {
  plan: RunPlan;
  standings: TrialStandings;
  kept: KeptTrials;
  identify: Identifier;
  takes(planned: PlannedCase): boolean;
  redact(text: string): string;
}

/** What a round would do, case by case, and what it would cost. */
export function lookAhead({ plan, standings, kept, identify, takes, redact }: LookSettings): LookedAhead {
  const choice: RoundChoice = { mayPay: false, trialsEach: null, takes };
  const [free, waiting] = [new WorkSum(), new WorkSum()];
  const basis = new Map<string, string>();
  const [waitingIds, leftOutIds] = [new Set<string>(), new Set<string>()];
  const counts = { errored: 0, kept: 0, taken: 0, cases: 0 };
  let isOtherCode = false;
  for (const planned of plan.cases()) {
    counts.cases += 1;
    if (planned.skip !== null) {
      basis.set(planned.id, `skipped: ${planned.skip}`);
      continue;
    }
    if (takes(planned)) counts.taken += 1;
    const standing = standings.of(planned);
    counts.kept += standing.trials.filter((one) => one === "kept" || one === "errored").length;
    if (standing.trials.includes("errored")) counts.errored += 1;
    const share = shareOf(planned, standing, choice);
    if (standing.isOtherCode && takes(planned)) isOtherCode = true;
    const cost = kept.lastCostOf(redact(planned.id));
    free.add(planned, share, cost);
    basis.set(planned.id, basisOf(planned, identify));
    if (share.isWhole) continue;
    waitingIds.add(planned.id);
    if (!takes(planned)) leftOutIds.add(planned.id);
    else waiting.add(planned, restOf(standing, share), cost);
  }
  const { alpha, margin } = plan.comparison;
  const rules = JSON.stringify([gateRulesOf(plan), plan.exitOn, alpha, margin, plan.seed, plan.project]);
  return { free, waiting, ...counts, isOtherCode, basis: { rules, cases: basis }, waitingIds, leftOutIds };
}

/** Whether a round would have other results than the last one, whatever waits. */
export function differs(
  { basis: { rules, cases }, waitingIds }: LookedAhead,
  last: RunBasis | null,
  brokenSuites: readonly string[],
): boolean {
  if (last === null) return cases.size > waitingIds.size;
  if (rules !== last.rules) return true;
  for (const [id, basis] of cases) if (!waitingIds.has(id) && last.cases.get(id) !== basis) return true;
  const isOfBroken = (id: string): boolean => brokenSuites.some((suite) => id.startsWith(`${suite}/`));
  return [...last.cases.keys()].some((id) => !cases.has(id) && !isOfBroken(id));
}

/** The basis of a round, in which the cases have no result that still waited in it. */
export function basisAfter({ basis, waitingIds, leftOutIds }: LookedAhead, mayPay: boolean): RunBasis {
  const waited = mayPay ? leftOutIds : waitingIds;
  return { ...basis, cases: new Map([...basis.cases].filter(([id]) => !waited.has(id))) };
}

function basisOf(planned: PlannedCase, identify: Identifier): string {
  const { agentHash, setupHash, scoringHash, passHash, codeHash = "" } = identify(planned);
  const { runs, required, test } = planned;
  const marks = `${runs} ${required} ${String(test.critical)} ${JSON.stringify(test.allowFailure)}`;
  return `${agentHash} ${setupHash} ${scoringHash} ${passHash} ${codeHash} ${marks}`;
}

/** What is left to do of a case behind its share. */
function restOf({ trials }: CaseStandings, share: CaseShare): CaseShare {
  const rest = trials.slice(share.trials);
  const count = (standing: string): number => rest.filter((one) => one === standing).length;
  return {
    trials: rest.length,
    run: count("missing"),
    judge: count("rescore"),
    replayed: count("replayed"),
    isWhole: true,
  };
}

class WorkSum implements RoundWork {
  cases = 0;
  newCases = 0;
  trials = 0;
  judged = 0;
  costUsd = 0;
  unknown = 0;
  readonly #agents = new Set<string>();
  readonly #judges = new Set<string>();

  get agents(): readonly string[] {
    return [...this.#agents];
  }

  get judges(): readonly string[] {
    return [...this.#judges];
  }

  add(planned: PlannedCase, share: CaseShare, cost: ReturnType<KeptTrials["lastCostOf"]>): void {
    const { run, judge, replayed } = share;
    if (run + judge + replayed === 0) return;
    this.cases += 1;
    if (cost === undefined) this.newCases += 1;
    this.trials += run + replayed;
    this.judged += judge;
    if (run + replayed > 0) this.#agents.add(planned.agentId);
    if (judge > 0) for (const { models } of planned.judges.values()) this.#judges.add(models[0].model.id);
    const trialUsd = run === 0 ? 0 : (cost?.trialUsd ?? null);
    if (trialUsd === null) this.unknown += 1;
    else this.costUsd += trialUsd * run + (cost?.judgingUsd ?? 0) * judge;
  }
}

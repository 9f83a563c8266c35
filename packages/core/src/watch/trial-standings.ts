import { decideCaseEnd, mayEndEarly } from "../engine/early-end/early-end.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import type { CaseIdentity, IdentifyCase } from "../plan/identity/case-identity.js";
import type { PlannedCase, PlannedModel } from "../plan/run-plan.js";
import type { KeptTrial, KeptTrials } from "./kept-trials.js";
import type { Again } from "./round-work.js";

/**
 * What becomes of a trial: it is carried over as it is, from another run or from a replay of its recordings, its
 * assertions are evaluated again, it stays errored until somebody wants it again, or it is to be run.
 */
export type TrialStanding = "kept" | "replayed" | "rescore" | "errored" | "missing";

export interface StandingsSettings {
  kept: KeptTrials;
  identify: IdentifyCase;
  seed: number;
  redact(text: string): string;
  again: Again;
  /** Nothing is sent, because recordings alone answer. */
  isReplay: boolean;
  /** Whether the filters of the session take a case. */
  takes(planned: PlannedCase): boolean;
}

export interface CaseStandings {
  /** By number of the trial. None for a trial that its case no longer needs, because the ones before it decide it. */
  trials: readonly TrialStanding[];
  /** The code behind its target changed, so that recordings of it are those of other code. */
  isOtherCode: boolean;
  /** Whether trials that are to be run, or to be judged, call something that may cost money. */
  asksToRun: boolean;
  asksToJudge: boolean;
}

/** Compares the cases of a plan with the trials that are kept. */
export class TrialStandings {
  readonly #settings: StandingsSettings;

  constructor(settings: StandingsSettings) {
    this.#settings = settings;
  }

  of(planned: PlannedCase): CaseStandings {
    const trials: TrialStanding[] = [];
    const outcomes: KeptTrial["outcome"][] = [];
    const endsEarly = mayEndEarly(planned);
    let isOtherCode = false;
    for (let trial = 1; trial <= planned.runs; trial += 1) {
      const found = this.find(planned, trial);
      if (found === "other code") isOtherCode = true;
      const standing = typeof found === "string" ? "missing" : found.standing;
      if (standing === "missing" && endsEarly && outcomes.length === trials.length) {
        if (decideCaseEnd(outcomes, planned) !== null) break;
      }
      trials.push(standing);
      const stands = standing !== "rescore" && standing !== "missing";
      if (typeof found !== "string" && stands) outcomes.push(found.kept.outcome);
    }
    const { isReplay } = this.#settings;
    const asks = isReplay
      ? { asksToRun: startsUnknown(planned), asksToJudge: false }
      : { asksToRun: asksToRun(planned), asksToJudge: asksToJudge(planned) };
    return { trials, isOtherCode, ...asks };
  }

  /** The kept trial that can take the place of one of a case. */
  find(planned: PlannedCase, trial: number): { kept: KeptTrial; standing: TrialStanding } | "nothing" | "other code" {
    const { kept, identify, seed, redact, again, takes } = this.#settings;
    const now = identify(planned);
    const alike = kept
      .of(redact(planned.id), trial)
      // Everything random comes from the seed, so that no trial would be the same with another.
      .filter(({ identity, run }) => isSameConversation(identity, now) && run.seed === seed);
    const usable = alike.filter(({ identity }) => identity.codeHash === now.codeHash);
    const found = chooseKept(usable, planned, now);
    if (found === undefined) return alike.length > 0 ? "other code" : "nothing";
    const isWanted = takes(planned);
    if (again === "all" && isWanted) return { kept: found, standing: "missing" };
    if (!found.isDecided && (again !== "errored" || !isWanted)) return { kept: found, standing: "errored" };
    const isScored = found.identity.scoringHash === now.scoringHash && !found.awaitsJudge;
    if (found.isDecided && (isScored || found.outcome.status === "errored")) {
      return { kept: found, standing: found.run.isReplay ? "replayed" : "kept" };
    }
    // What was masked cannot be judged again: an assertion would no longer find what it is there to find.
    const canBeScored = (found.isDecided || found.awaitsJudge) && !found.isMasked;
    return { kept: found, standing: canBeScored ? "rescore" : "missing" };
  }
}

/** The newest; where judges would have to be asked again, rather one that they have judged as they would now. */
function chooseKept(usable: readonly KeptTrial[], planned: PlannedCase, now: CaseIdentity): KeptTrial | undefined {
  const judged = asksToJudge(planned)
    ? usable.find(({ identity }) => identity.scoringHash === now.scoringHash)
    : undefined;
  return judged ?? usable[0];
}

function isSameConversation(one: Pick<CaseIdentity, "agentHash" | "setupHash">, now: CaseIdentity): boolean {
  return one.agentHash === now.agentHash && one.setupHash === now.setupHash;
}

/** Starts a program that may call what it likes, whatever is recorded. What a service was asked is recorded. */
export function startsUnknown({ test: { target } }: PlannedCase): boolean {
  return target?.proxy === false && target.kind !== "http";
}

/** Nobody knows the models behind a program or a service that does not call them through KindLM. */
function asksToRun(planned: PlannedCase): boolean {
  const { model, fallbacks, simulator, test } = planned;
  if (test.target?.proxy === false) return true;
  if (model !== null && !isFree(model)) return true;
  return [...fallbacks, ...(simulator ?? [])].some(mayCost) || asksToJudge(planned);
}

function asksToJudge({ judges, embedders }: PlannedCase): boolean {
  return [...judges.values(), ...embedders.values()].some(({ models }) => models.some(mayCost));
}

function mayCost({ model }: PlannedModel): boolean {
  return !isFree(model);
}

/** A scripted model sends nothing; of every other one an unknown price may be any price. */
function isFree({ definition, pricing }: ResolvedModel): boolean {
  if (definition.type === "scripted") return true;
  return pricing !== null && pricing.input === 0 && pricing.output === 0 && (pricing.cachedInput ?? 0) === 0;
}

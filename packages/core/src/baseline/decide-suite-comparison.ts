import { clusterOf } from "../engine/cluster-of.js";
import { allowedReason, type ComparedSuite } from "../engine/comparison-result.js";
import type { TestResult } from "../engine/run-result.js";
import type { AgentParts } from "../plan/identity/agent-parts.js";
import { hashText } from "../plan/identity/content-hash.js";
import type { ComparedCase, ComparedSide } from "../statistics/compared-case.js";
import { confirmComparison, suspectsOf } from "../statistics/confirm-comparison.js";
import { decideComparison } from "../statistics/decide-comparison.js";
import { flagCases, type CaseFlag } from "../statistics/flag-cases.js";
import { agentChanges } from "./agent-changes.js";
import type { Baseline, BaselineEntry } from "./baseline.js";
import { usabilityOf, type RanTest } from "./usability-of.js";

export interface SuiteQuestion {
  suite: string;
  tests: readonly TestResult[];
  baseline: Baseline;
  /** What the agents of the run were made of, by their hash. */
  agents: Readonly<Record<string, AgentParts>>;
  alpha: number;
  margin: number;
  /** Whether the run would have had a case of this id if the config had it. */
  sees(caseId: string): boolean;
  /** Ids of the baseline have passed it. */
  redact(text: string): string;
}

/** A case on both sides. */
export interface Pair {
  test: RanTest;
  entry: BaselineEntry;
  compared: ComparedCase;
}

/** All of a comparison but the flagged cases, whose calls have to be read first. */
export interface DecidedSuite {
  suite: Omit<ComparedSuite, "worse" | "better">;
  worse: readonly FlaggedPair[];
  better: readonly FlaggedPair[];
  /** The cases that would be tried again before an alarm is raised. */
  suspects: readonly Pair[];
}

export interface FlaggedPair extends Pair {
  flag: CaseFlag;
}

/** Puts the cases of a suite beside its baseline and decides. */
export function decideSuiteComparison(question: SuiteQuestion): DecidedSuite {
  const { suite, baseline, agents, alpha, margin } = question;
  const { pairs, ...apart } = pairUp(question);
  const cases = pairs.map(({ compared }) => compared);
  // The same for every run of the suite, so that equal results have an equal p.
  const seed = Number.parseInt(hashText(suite).slice(0, 8), 16);
  const levels = { alpha, margin, seed };
  const found = { verdict: decideComparison(cases, levels), flags: flagCases(cases, levels) };
  const fresh = freshTrialsOf(pairs);
  const decided = fresh.size === 0 ? { ...found, isConfirmed: false } : confirmComparison(cases, found, fresh, levels);
  const suspects = new Set(suspectsOf(cases, found));
  const flags = new Map(decided.flags.map((flag) => [flag.caseId, flag]));
  const flagged = (change: CaseFlag["change"]): readonly FlaggedPair[] =>
    pairs
      .flatMap((pair) => {
        const flag = flags.get(pair.compared.caseId);
        return flag?.change === change ? [{ ...pair, flag }] : [];
      })
      .toSorted(mostTellingFirst(change === "worse" ? "worse" : "better"));
  const { setAt, commit, kindlm, note } = baseline.header;
  const changes = pairs.map(({ test, entry }) => ({
    before: { agentHash: entry.agentHash, agent: entry.agent ?? null, servedBy: entry.servedBy },
    after: { agentHash: test.agentHash, agent: agents[test.agentHash] ?? null, servedBy: test.servedBy ?? null },
  }));
  return {
    suite: {
      ...decided.verdict,
      ...(decided.isConfirmed ? { isConfirmed: true as const } : {}),
      suite,
      status: "compared",
      baseline: { setAt, commit, kindlm, ...(note === undefined ? {} : { note }) },
      ...apart,
      agentChanges: agentChanges(changes),
    },
    worse: flagged("worse"),
    better: flagged("better"),
    suspects: pairs.filter(({ compared }) => suspects.has(compared)),
  };
}

/** Of the cases that were tried again. */
function freshTrialsOf(pairs: readonly Pair[]): ReadonlyMap<string, ComparedSide> {
  return new Map(
    pairs.flatMap(({ test: { fresh }, compared }) => (fresh === undefined ? [] : [[compared.caseId, fresh] as const])),
  );
}

/** What is on both sides and can be compared, and what is not. */
function pairUp({ tests, baseline, sees, redact }: SuiteQuestion) {
  const pairs: Pair[] = [];
  const [added, changedChecks]: [string[], string[]] = [[], []];
  const uncompared: { caseId: string; reason: string }[] = [];
  const there = new Set<string>();
  for (const test of tests) {
    const caseId = redact(test.id);
    const entry = baseline.entries.get(caseId);
    const usable = usabilityOf(test);
    if (there.has(caseId)) uncompared.push({ caseId, reason: "two cases have this id where secrets are masked" });
    else if (entry === undefined) {
      if (test.status !== "skipped") added.push(caseId);
    } else if (usable.reason !== null) uncompared.push({ caseId, reason: usable.reason });
    else if (usable.test.checkHash !== entry.checkHash) changedChecks.push(caseId);
    else if (usable.test.allowFailure !== null) uncompared.push({ caseId, reason: allowedReason });
    else pairs.push({ test: usable.test, entry, compared: toCompared(caseId, usable.test, entry) });
    there.add(caseId);
  }
  const removed = [...baseline.entries.keys()].filter((caseId) => !there.has(caseId) && sees(caseId));
  return { pairs, added, removed, changedChecks, uncompared };
}

function toCompared(caseId: string, test: RanTest, entry: BaselineEntry): ComparedCase {
  const isMixed = entry.passes > 0 && entry.passes < entry.trials;
  return {
    caseId,
    cluster: clusterOf(test),
    // A run without noise that meets what was blessed of one with noise: where that shows none there is none to test.
    isDeterministic: test.deterministic === true && (entry.deterministic === true || !isMixed),
    isCritical: test.critical,
    baseline: { passes: entry.passes, trials: entry.trials, isPassed: entry.isPassed },
    candidate: { passes: test.passes, trials: test.counted, isPassed: test.status === "passed" },
  };
}

/** Critical cases first, then those that chance explains least; a case without noise before all that have it. */
function mostTellingFirst(change: "worse" | "better"): (one: FlaggedPair, other: FlaggedPair) => number {
  const pOf = ({ flag }: FlaggedPair): number => flag.p?.[change] ?? 0;
  return (one, other) => Number(other.flag.isCritical) - Number(one.flag.isCritical) || pOf(one) - pOf(other);
}

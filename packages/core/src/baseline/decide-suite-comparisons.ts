import { allowedReason, type ComparedSuite, type SuiteComparison } from "../summary/comparison-result.js";
import { agentChanges, withPrograms, type AgentParts } from "../plan/identity/agent-parts.js";
import { hashText } from "../plan/identity/content-hash.js";
import type { ComparedCase } from "../statistics/compared-case.js";
import {
  confirmTogether,
  suspectsOf,
  type ConfirmedComparison,
  type RetriedSuite,
} from "../statistics/confirm-comparison.js";
import { decideTogether } from "../statistics/decide-comparison.js";
import { flagCases, type CaseFlag } from "../statistics/flag-cases.js";
import { measureSuite, type SuiteMeasurement } from "../statistics/measure-suite.js";
import type { BaselineEntry, Baseline } from "./baseline.js";
import { compareInjection } from "./compare-injection.js";
import { decideGrowth, measureSuiteGrowth, type MeasuredGrowth } from "./compare-growth.js";
import { freshSide, toCompared } from "./compared-sides.js";
import { describeLooks, looksAt, trialsOfNextLook, type SuiteLooks } from "./looks-at-suite.js";
import { usabilityOf, type RanTest } from "./usability-of.js";
import type { TestResult } from "../engine/run-result.js";
import type { RepeatedCase } from "../engine/ports.js";

export interface SuiteQuestion extends PairQuestion {
  suite: string;
  /** What the agents of the run were made of, by their hash. */
  agents: Readonly<Record<string, AgentParts>>;
  /** The level of the tests of critical cases. */
  alpha: number;
}

/** The measurements of a suite against its baseline. Of the baseline, only the parts that a report may need are kept. */
export interface MeasuredSuite {
  status: "measured";
  head: Pick<ComparedSuite, "suite" | "baseline" | "agentChanges" | "injection"> &
    ReturnType<typeof pairCases>["leftOut"];
  growth: MeasuredGrowth;
  seed: number;
  looks: SuiteLooks;
  cases: readonly ComparedCase[];
  measurement: SuiteMeasurement;
  /** Of the cases that changed. */
  flags: readonly CaseFlag[];
  /** By the ids of the cases as the comparison has them. */
  tests: ReadonlyMap<string, RanTest>;
  /** Of the cases that are flagged. */
  entries: ReadonlyMap<string, BaselineEntry>;
}

/** All of a comparison but the flagged cases, whose calls have to be read first. */
export interface DecidedSuite {
  status: "decided";
  suite: Omit<ComparedSuite, "worse" | "better">;
  worse: readonly FlaggedPair[];
  better: readonly FlaggedPair[];
  /** The cases that would be tried again before an alarm is raised. */
  suspects: readonly { test: RanTest; compared: ComparedCase }[];
  /** What may decide it if it is not decided. */
  next: readonly RepeatedCase[];
}

export interface FlaggedPair extends Pair {
  flag: CaseFlag;
}

/** Measures the cases of a suite against its baseline. */
export function measureComparison(question: SuiteQuestion): MeasuredSuite {
  const { suite, baseline, agents, alpha } = question;
  const { pairs, leftOut, counts } = pairCases(question);
  const cases = pairs.map(({ compared }) => compared);
  // The same for every run of the suite, so that equal results have an equal p.
  const seed = Number.parseInt(hashText(suite).slice(0, 8), 16);
  const flags = flagCases(cases, { alpha }).filter(({ change }) => change !== "none");
  const flagged = new Set(flags.map(({ caseId }) => caseId));
  const { setAt, commit, kindlm, note } = baseline.header;
  const injection = compareInjection(pairs);
  const looks = looksAt(pairs);
  const changes = pairs.map(({ test, entry }) => ({
    before: { agentHash: entry.agentHash, agent: entry.agent ?? null, servedBy: entry.servedBy },
    after: {
      agentHash: test.agentHash,
      agent: withPrograms(agents[test.agentHash] ?? null, test.programs),
      servedBy: test.servedBy ?? null,
    },
  }));
  return {
    status: "measured",
    head: {
      suite,
      baseline: { setAt, commit, kindlm, ...(note === undefined ? {} : { note }), ...counts },
      ...leftOut,
      agentChanges: agentChanges(changes),
      ...(injection === null ? {} : { injection }),
    },
    growth: measureSuiteGrowth(pairs),
    seed,
    cases,
    looks,
    measurement: measureSuite(cases, seed, looks.share),
    flags,
    tests: new Map(pairs.map(({ test, compared }) => [compared.caseId, test])),
    entries: new Map(
      pairs.flatMap(({ entry, compared: { caseId } }) => (flagged.has(caseId) ? [[caseId, entry] as const] : [])),
    ),
  };
}

/** A suite that there is nothing to decide about. */
export type LeftSuite = Exclude<SuiteComparison, ComparedSuite>;

/** Decides about all suites of a run together, in their order. */
export function decideSuiteComparisons(
  suites: readonly (MeasuredSuite | LeftSuite)[],
  levels: { alpha: number; margin: number },
): readonly (DecidedSuite | LeftSuite)[] {
  const measurements = suites.flatMap((suite) => (suite.status === "measured" ? [suite.measurement] : []));
  const decide = decideTogether(measurements, levels);
  const found = suites.map((suite) =>
    suite.status === "measured" ? { suite, status: "found" as const, first: firstLook(suite, decide) } : suite,
  );
  const confirm = confirmTogether(
    found.flatMap((one) => (one.status === "found" ? [one.first] : [])),
    levels,
  );
  const grow = decideGrowth(
    found.flatMap((one) => (one.status === "found" ? [one.suite.growth] : [])),
    levels.alpha,
  );
  return found.map((one) =>
    one.status === "found" ? decidedSuite(one.suite, one.first, confirm(one.first), grow(one.suite.growth)) : one,
  );
}

function firstLook(
  { cases, seed, flags, measurement, tests }: MeasuredSuite,
  decide: ReturnType<typeof decideTogether>,
): RetriedSuite {
  const fresh = [...tests].flatMap(([caseId, test]) =>
    test.fresh === undefined ? [] : [[caseId, freshSide(test.fresh)] as const],
  );
  return { cases, seed, flags, verdict: decide(measurement), fresh: new Map(fresh) };
}

function decidedSuite(
  measured: MeasuredSuite,
  first: RetriedSuite,
  decided: ConfirmedComparison,
  growth: ReturnType<ReturnType<typeof decideGrowth>>,
): DecidedSuite {
  const { head, cases, tests, looks } = measured;
  const ofLooks = describeLooks(looks, decided.verdict.alpha);
  const confirmed = decided.isConfirmed ? { isConfirmed: true as const } : {};
  return {
    status: "decided",
    suite: {
      ...decided.verdict,
      ...confirmed,
      status: "compared",
      ...head,
      ...growth,
      ...(ofLooks === null ? {} : { looks: ofLooks }),
    },
    worse: flaggedAs("worse", decided.flags, measured),
    better: flaggedAs("better", decided.flags, measured),
    suspects: suspectsOf(cases, first).flatMap((compared) => {
      const test = tests.get(compared.caseId);
      return test === undefined ? [] : [{ test, compared }];
    }),
    next: decided.verdict.verdict === "inconclusive" ? trialsOfNextLook(looks) : [],
  };
}

function flaggedAs(
  change: "worse" | "better",
  flags: readonly CaseFlag[],
  { cases, tests, entries }: MeasuredSuite,
): readonly FlaggedPair[] {
  const changed = new Map(flags.flatMap((flag) => (flag.change === change ? [[flag.caseId, flag] as const] : [])));
  return cases
    .flatMap((compared) => {
      const { caseId } = compared;
      const [flag, test, entry] = [changed.get(caseId), tests.get(caseId), entries.get(caseId)];
      return flag && test && entry ? [{ flag, test, entry, compared }] : [];
    })
    .toSorted(mostTellingFirst(change));
}

/** Critical cases first, then those that chance explains least; a case without noise before all that have it. */
function mostTellingFirst(change: "worse" | "better"): (one: FlaggedPair, other: FlaggedPair) => number {
  const pOf = ({ flag }: FlaggedPair): number => flag.p?.[change] ?? 0;
  return (one, other) => Number(other.flag.isCritical) - Number(one.flag.isCritical) || pOf(one) - pOf(other);
}

interface PairQuestion {
  tests: readonly TestResult[];
  baseline: Baseline;
  /** Whether the run would have had a case of this id if the config had it. */
  sees(caseId: string): boolean;
  /** Ids of the baseline have passed it. */
  redact(text: string): string;
}

/** A case on both sides. */
interface Pair {
  test: RanTest;
  entry: BaselineEntry;
  compared: ComparedCase;
}

/** The cases that are on one side alone, or that cannot be compared. */
type LeftOut = Pick<ComparedSuite, "added" | "removed" | "changedChecks" | "uncompared">;

/** What is on both sides and can be compared, and what is not. */
function pairCases({ tests, baseline, sees, redact }: PairQuestion): {
  pairs: readonly Pair[];
  leftOut: LeftOut;
  counts: Pick<ComparedSuite["baseline"], "passed" | "failed">;
} {
  const pairs: Pair[] = [];
  const [added, changedChecks]: [string[], string[]] = [[], []];
  const uncompared: { caseId: string; reason: string }[] = [];
  const there = new Set<string>();
  for (const test of tests) {
    const caseId = redact(test.id);
    const entry = baseline.entries.get(caseId);
    const usable = usabilityOf(test);
    if (there.has(caseId)) uncompared.push({ caseId, reason: "two cases have this ID after secrets are masked" });
    else if (entry === undefined) {
      if (test.status !== "skipped") added.push(caseId);
    } else if (usable.reason !== null) uncompared.push({ caseId, reason: usable.reason });
    else if (usable.test.checkHash !== entry.checkHash) changedChecks.push(caseId);
    else if (usable.test.allowFailure !== null) uncompared.push({ caseId, reason: allowedReason });
    else pairs.push({ test: usable.test, entry, compared: toCompared(caseId, usable.test, entry) });
    there.add(caseId);
  }
  const removed = [...baseline.entries.keys()].filter((caseId) => !there.has(caseId) && sees(caseId));
  const gone = new Set(removed);
  const selected = [...baseline.entries.values()].filter(({ caseId }) => there.has(caseId) || gone.has(caseId));
  const passed = selected.filter(({ isPassed }) => isPassed).length;
  const counts = { passed, failed: selected.length - passed };
  return { pairs, leftOut: { added, removed, changedChecks, uncompared }, counts };
}

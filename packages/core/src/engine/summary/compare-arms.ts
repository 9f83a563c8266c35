import { holm } from "../../statistics/adjust-p-values.js";
import type { CaseCounts } from "../../statistics/case-counts.js";
import { clusteredMean } from "../../statistics/clustered-mean.js";
import { equalTrials } from "../../statistics/equal-trials.js";
import { isSignificant } from "../../statistics/is-significant.js";
import { intervalOf, studentTQuantile } from "../../statistics/measured-mean.js";
import { normalQuantile } from "../../statistics/normal-distribution.js";
import { differencesByCluster, pairedDifference, type PairedCase } from "../../statistics/paired-difference.js";
import { signFlipTwoSided, trialExchangeTest } from "../../statistics/sign-flip-test.js";
import { meanRate } from "../../statistics/mean-rate.js";
import type { ArmChange, ArmComparison, ArmDifference } from "../../summary/arm-comparison.js";
import { addCosts } from "../../values/add-costs.js";
import { createRandom } from "../../values/random.js";
import type { SuiteResult, TestResult } from "../run-result.js";
import { clusterOf } from "./cluster-of.js";

type RanTest = Exclude<TestResult, { status: "skipped" }>;
type Arms = NonNullable<SuiteResult["arms"]>;

/** The probability of calling arms that do not differ better or worse, over all differences of a suite. */
const alpha = 0.05;
/** How likely a detectable difference is to be shown. */
const power = 0.8;

/** A case in two arms. */
interface Pair extends PairedCase {
  caseId: string;
  tests: readonly [RanTest, RanTest];
}

/** The arms of a suite: each against the first, and against its placebo. Verdicts hold together, after Holm. */
export function compareArms({ name, tests }: SuiteResult, arms: Arms, seed: number): ArmComparison {
  const ran = tests.filter((test): test is RanTest => test.status !== "skipped");
  const of = (arm: string): readonly RanTest[] => ran.filter((test) => test.arm === arm);
  const wanted = contrastsOf(arms).map(([from, to]) => ({ from, to, pairs: pairsOf(of(from), of(to)) }));
  const found = wanted.filter(({ pairs }) => pairs.length > 0);
  const tested = found.map((one) => ({ ...one, ...testOf(one.pairs, alpha / found.length, seed) }));
  const adjusted = holm(tested.map(({ p }) => p));
  return {
    suite: name,
    arms: arms.map(({ id, placeboOf }) => ({ id, placeboOf, ...figuresOf(of(id)) })),
    differences: tested.flatMap((one, index) => differenceOf(one, adjusted[index] ?? 1, alpha / found.length) ?? []),
  };
}

/** Pairs of arms: the first with each other, and each placebo with what it is one of. */
function contrastsOf(arms: Arms): readonly (readonly [string, string])[] {
  const [control, ...others] = arms;
  if (control === undefined) return [];
  const placebos = others.filter(({ placeboOf }) => placeboOf !== null && placeboOf !== control.id);
  return [
    ...others.map(({ id }) => [control.id, id] as const),
    ...placebos.map(({ id, placeboOf }) => [id, placeboOf ?? ""] as const),
  ];
}

/** Trials that `early_end` left out bias a rate; a failure that is allowed is what a control is there for. */
function hasRate({ counted, endedEarly }: RanTest): boolean {
  return counted > 0 && endedEarly === undefined;
}

/** The cases that both arms have. Where an arm has one model or prompt, it is paired with whichever the other has. */
function pairsOf(from: readonly RanTest[], to: readonly RanTest[]): readonly Pair[] {
  const areVaried = (key: "model" | "prompt"): boolean =>
    [from, to].some((tests) => new Set(tests.map((test) => test[key])).size > 1);
  const [byModel, byPrompt] = [areVaried("model"), areVaried("prompt")];
  const situationOf = ({ name, row, fault, model, prompt }: RanTest): string =>
    JSON.stringify([name, row, fault, byModel ? model : null, byPrompt ? prompt : null]);
  const others = new Map(to.filter(hasRate).map((test) => [situationOf(test), test]));
  return from.filter(hasRate).flatMap((test): Pair[] => {
    const other = others.get(situationOf(test));
    if (other === undefined) return [];
    const [baseline, candidate] = [countsOf(test), countsOf(other)];
    return [{ caseId: test.id, cluster: clusterOf(test), baseline, candidate, tests: [test, other] }];
  });
}

function countsOf({ passes, counted }: RanTest): CaseCounts {
  return { passes, trials: counted };
}

interface Tested {
  p: number;
  about: ArmDifference["about"];
  /** False if no outcome at all could have been significant. */
  couldShow: boolean;
}

/** Whole clusters are exchanged where there are enough of them for any verdict; else the trials of each case. */
function testOf(pairs: readonly Pair[], level: number, seed: number): Tested {
  const equal = pairs.map((pair) => equalTrials(pair, seed));
  const sums = differencesByCluster(equal);
  if (isSignificant(2 ** (1 - sums.length), level)) {
    return { p: signFlipTwoSided(sums, createRandom(seed)), about: "such_cases", couldShow: true };
  }
  const most = equal.map(({ cluster, baseline: { trials } }) => ({
    cluster,
    baseline: { passes: 0, trials },
    candidate: { passes: trials, trials },
  }));
  return {
    p: trialExchangeTest(equal),
    about: "these_cases",
    couldShow: isSignificant(trialExchangeTest(most), level),
  };
}

function differenceOf(
  { from, to, pairs, p, about, couldShow }: Tested & { from: string; to: string; pairs: readonly Pair[] },
  adjustedP: number,
  level: number,
): ArmDifference | null {
  const difference = pairedDifference(pairs);
  if (difference === null) return null;
  const { cases, clusters, mean } = difference;
  // What speaks of these cases alone has the noise of their trials, and not that of other cases.
  const interval = about === "such_cases" ? difference.interval : intervalOf({ ...difference, standardError: null });
  const isShown = isSignificant(adjustedP, alpha) && mean !== 0;
  const standardError = (interval[1] - interval[0]) / 2 / normalQuantile(0.975);
  const detectable = standardError * (normalQuantile(1 - level / 2) + normalQuantile(power));
  return {
    from,
    to,
    cases,
    clusters,
    mean,
    interval,
    p,
    adjustedP,
    verdict: !isShown ? "no_difference_shown" : mean > 0 ? "better" : "worse",
    about,
    detectable: couldShow && detectable <= 1 ? detectable : null,
    costUsd: changeOf(pairs, ({ effort }) => effort?.costUsd ?? null),
    tokens: changeOf(pairs, ({ effort }) => effort?.tokens ?? null),
    turns: changeOf(pairs, ({ effort }) => effort?.turns ?? null),
    latencyMs: changeOf(pairs, ({ latencyMs }) => latencyMs),
  };
}

/** Null if it is unknown of any case. */
function changeOf(pairs: readonly Pair[], read: (test: RanTest) => number | null): ArmChange | null {
  const values: { from: number; to: number; cluster: string }[] = [];
  for (const { tests, cluster } of pairs) {
    const [from, to] = [read(tests[0]), read(tests[1])];
    if (from === null || to === null) return null;
    values.push({ from, to, cluster });
  }
  const mean = clusteredMean(values.map(({ from, to, cluster }) => ({ value: to - from, cluster })));
  if (mean === null) return null;
  const meanOf = (side: "from" | "to"): number => values.reduce((sum, one) => sum + one[side], 0) / values.length;
  const half = mean.standardError === null ? null : mean.standardError * studentTQuantile(0.95, mean.clusters - 1);
  return {
    from: meanOf("from"),
    to: meanOf("to"),
    interval: half === null ? null : [mean.mean - half, mean.mean + half],
  };
}

function figuresOf(tests: readonly RanTest[]): Omit<ArmComparison["arms"][number], "id" | "placeboOf"> {
  const rates = tests
    .filter(hasRate)
    .map((test) => ({ passes: test.passes, trials: test.counted, cluster: clusterOf(test) }));
  return {
    cases: tests.length,
    passed: tests.filter(({ status }) => status === "passed").length,
    errored: tests.filter(({ status }) => status === "errored").length,
    costUsd: tests.reduce<number | null>((sum, test) => addCosts(sum, test.costUsd), 0),
    meanRate: meanRate(rates),
  };
}

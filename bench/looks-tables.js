import { createRandom, hashText } from "../packages/core/build/values/random.js";
import { decideTogether } from "../packages/core/build/statistics/decide-comparison.js";
import { measureSuite } from "../packages/core/build/statistics/measure-suite.js";
import { looksBetween, shareOfLook, trialsAtLook } from "../packages/core/build/statistics/spend-alpha.js";
import { lowered, percent } from "./comparison-tables.js";
import { ratesOf } from "./simulated-runs.js";

/** Suites whose trials are drawn as they are needed: `max` in the baseline, and as many in the run as its looks take. */
function createSuites(seed) {
  const random = createRandom(seed);
  const draw = (rate, trials) => {
    let passes = 0;
    for (let trial = 0; trial < trials; trial += 1) if (random() < rate) passes += 1;
    return { passes, trials, isPassed: passes === trials };
  };
  return ({ before, after, min, max }) =>
    before.map((rate, index) => ({
      one: {
        caseId: `case ${index}`,
        cluster: String(index),
        isDeterministic: false,
        isCritical: false,
        baseline: draw(rate, max),
        candidate: draw(after[index], min),
      },
      add(trials) {
        const { passes, trials: had } = this.one.further ?? { passes: 0, trials: 0 };
        const more = draw(after[index], trials);
        this.one = { ...this.one, further: { passes: passes + more.passes, trials: had + more.trials } };
      },
    }));
}

/** As a comparison gives them. A margin of 1 spares the search for what would decide, and *ok* is found by its interval. */
function verdictsOf(measured) {
  const decide = decideTogether(measured, { margin: 1 });
  return measured.map((suite) => {
    if (decide(suite).verdict === "regressed") return "regressed";
    return suite.test.difference.interval[0] > -0.05 ? "ok" : "inconclusive";
  });
}

/** A rate between 0 and 1, also where all trials came out alike. */
const smoothed = (passes, trials) => (passes + 1) / (trials + 2);
const deviation = (rate) => Math.sqrt(rate * (1 - rate));

function presentOf({ candidate, further = { passes: 0, trials: 0 } }) {
  return { passes: candidate.passes + further.passes, trials: candidate.trials + further.trials };
}

/** How much a case weighs where the trials of a round are dealt out unevenly. */
const weights = {
  "both variances": ({ one }) => {
    const { passes, trials } = presentOf(one);
    return deviation(smoothed(passes + one.baseline.passes, trials + one.baseline.trials));
  },
  "variance in the run": ({ one }) => deviation(smoothed(presentOf(one).passes, presentOf(one).trials)),
  "variance in the baseline": ({ one }) => deviation(smoothed(one.baseline.passes, one.baseline.trials)),
  "difference so far": ({ one }) => {
    const { passes, trials } = presentOf(one);
    return 0.02 + Math.abs(passes / trials - one.baseline.passes / one.baseline.trials);
  },
};

/** Adds `total` trials to the cases by weight, and at most `max` to each: one by one to the case that has the fewest for its weight. */
function dealOut(cases, total, { max, allocation }) {
  const dealt = cases.map((one) => ({
    one,
    weight: weights[allocation](one),
    had: presentOf(one.one).trials,
    more: 0,
  }));
  for (let left = total; left > 0; left -= 1) {
    const open = dealt.filter(({ had, more }) => had + more < max);
    open.toSorted((a, b) => (a.had + a.more + 1) / a.weight - (b.had + b.more + 1) / b.weight)[0].more += 1;
  }
  for (const { one, more } of dealt) if (more > 0) one.add(more);
}

/**
 * Runs suites until each is decided or has its last look. Their verdicts, and the trials per case that they took. All cases
 * have equally many further trials, unless there is an `allocation`.
 */
function lookUntilDecided(suites, { min, max, allocation }, seed) {
  const looks = looksBetween(min, max);
  const sizes = Array.from({ length: looks }, (_, index) => trialsAtLook({ min, max }, index + 1, looks));
  const open = suites.map((cases) => ({ cases, reached: 1 }));
  for (;;) {
    const measured = open.map(({ cases, reached }, index) =>
      measureSuite(
        cases.map(({ one }) => one),
        seed + index,
        looks === 1 ? 1 : shareOfLook({ trials: sizes, reached }),
      ),
    );
    const verdicts = verdictsOf(measured);
    const next = open.filter(({ reached }, index) => verdicts[index] === "inconclusive" && reached < looks);
    if (next.length === 0) {
      const trials = open.reduce((sum, { reached }) => sum + sizes[reached - 1], 0) / open.length;
      return { verdicts, trials };
    }
    for (const suite of next) {
      const more = sizes[suite.reached] - sizes[suite.reached - 1];
      if (allocation === undefined) for (const one of suite.cases) one.add(more);
      else dealOut(suite.cases, more * suite.cases.length, { max, allocation });
      suite.reached += 1;
    }
  }
}

/** How often a run of suites has this verdict, and the trials per case; `changed` of the suites fell. */
function simulate(name, { before, after, min, max, suites = 1, times, allocation }) {
  const make = createSuites(hashText(name));
  const seen = { regressed: 0, ok: 0, trials: 0 };
  for (let time = 0; time < times; time += 1) {
    const drawn = Array.from({ length: suites }, () => make({ before, after, min, max }));
    const { verdicts, trials } = lookUntilDecided(drawn, { min, max, allocation }, time * suites);
    for (const verdict of ["regressed", "ok"]) if (verdicts.includes(verdict)) seen[verdict] += 1 / times;
    seen.trials += trials / times;
  }
  return seen;
}

function* alarms([cases, min, max, suites]) {
  const of = (kind) => {
    const name = `looks alarms ${cases} ${min} ${max} ${suites} ${kind}`;
    const rates = { before: ratesOf(kind, cases), after: ratesOf(kind, cases) };
    const seen = simulate(name, { ...rates, min, max, suites, times: cases * suites > 20 ? 500 : 2_000 });
    return percent(seen.regressed);
  };
  for (const kind of [0.9, 0.7, "uneven"]) yield of(kind);
  const within = { before: ratesOf(0.95, cases), after: lowered(ratesOf(0.95, cases), 0.05) };
  const fallen = simulate(`looks ok ${cases} ${min} ${max}`, { ...within, min, max, times: 500 });
  yield percent(fallen.ok);
}

/** The fewest trials per case with which a comparison with one look gives the right verdict as often. */
function fixedTrialsFor(share, verdict, { cases, max, drop }) {
  const of = (trials) => {
    const make = createSuites(hashText(`looks fixed ${cases} ${max} ${drop} ${trials}`));
    const before = ratesOf(0.9, cases);
    let found = 0;
    for (let time = 0; time < 500; time += 1) {
      const drawn = make({ before, after: lowered(before, drop), min: trials, max });
      const suite = measureSuite(
        drawn.map(({ one }) => one),
        time,
      );
      if (verdictsOf([suite])[0] === verdict) found += 1 / 500;
    }
    return found;
  };
  let [low, high] = [0, max];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (of(middle) >= share) high = middle;
    else low = middle;
  }
  return high;
}

function saved([cases, min, max, drop]) {
  const name = `looks saved ${cases} ${min} ${max} ${drop}`;
  const before = ratesOf(0.9, cases);
  const seen = simulate(name, { before, after: lowered(before, drop), min, max, times: 500 });
  const verdict = drop === 0 ? "ok" : "regressed";
  const fixed = fixedTrialsFor(seen[verdict], verdict, { cases, max, drop });
  const share = 1 - seen.trials / fixed;
  return [
    percent(seen[verdict]),
    seen.trials.toFixed(1),
    String(fixed),
    `${Math.round(100 * share)}%`.replace("-", "−"),
  ];
}

const kindNames = { 0.9: "rate 0.9", uneven: "uneven rates", half: "half always pass" };

/** What would be if further trials went to some cases more than to others. In the last kind only cases with noise fall. */
function allocated([allocation, kind]) {
  const before = kind === "half" ? Array.from({ length: 20 }, (_, index) => (index < 10 ? 1 : 0.7)) : ratesOf(kind, 20);
  const of = (drop, times) => {
    const after = before.map((rate) => (kind === "half" && rate === 1 ? 1 : Math.max(0, rate - drop)));
    const name = `looks allocated ${allocation} ${kind} ${drop}`;
    return simulate(name, { before, after, min: 5, max: 20, times, ...(allocation === "even" ? {} : { allocation }) });
  };
  const fell = kind === "half" ? 0.3 : 0.15;
  const [unchanged, within, regressed] = [of(0, 2_000), of(kind === "half" ? 0.1 : 0.05, 2_000), of(fell, 500)];
  return [unchanged, within, regressed].flatMap(({ trials, ...seen }, index) => [
    percent(index === 1 ? seen.ok : seen.regressed),
    ...(index === 1 ? [] : [trials.toFixed(1)]),
  ]);
}

const named = ([cases, min, max]) => `${cases} × ${min} to ${max}`;

export const looksTables = {
  "looks-alarms": {
    head: ["cases × trials", "rate 0.9", "rate 0.7", "uneven rates", "*ok* though 0.95 fell to 0.9"],
    rows: [
      [10, 3, 12, 1],
      [20, 2, 10, 1],
      [20, 5, 20, 1],
      [50, 2, 10, 1],
      [20, 5, 20, 5],
    ],
    name: (row) => `${row[3] === 1 ? "" : `${row[3]} suites, `}${named(row)}`,
    cells: alarms,
  },
  "looks-allocation": {
    head: [
      "further trials go by",
      "unchanged: *regressed*",
      "trials of each",
      "fell by the margin: *ok*",
      "fell: *regressed*",
      "trials of each",
    ],
    rows: Object.keys(kindNames).flatMap((kind) =>
      ["even", ...Object.keys(weights)].map((allocation) => [allocation, kind === "0.9" ? 0.9 : kind]),
    ),
    name: ([allocation, kind]) => `${allocation === "even" ? "equal numbers" : allocation}; ${kindNames[kind]}`,
    cells: allocated,
  },
  "looks-saved": {
    head: ["cases × trials", "right verdict", "trials of each", "fixed number with equal power", "saved"],
    rows: [
      [20, 3, 24],
      [50, 2, 16],
    ].flatMap((size) => [0, 0.1, 0.2, 0.3].map((drop) => [...size, drop])),
    name: ([cases, min, max, drop]) => `${named([cases, min, max])}, ${drop === 0 ? "unchanged" : `−${drop}`}`,
    cells: saved,
  },
};

import { hashText } from "../packages/core/build/values/random.js";
import { decideComparison } from "../packages/core/build/statistics/decide-comparison.js";
import { flagCases } from "../packages/core/build/statistics/flag-cases.js";
import { createRuns, ratesOf } from "./simulated-runs.js";

const repeats = 2_000;
export const percent = (share) => `${(100 * share).toFixed(1)}%`;
export const lowered = (rates, drop) => rates.map((rate) => Math.max(0, rate - drop));

/** Every cell has a seed of its own, so that a single row of a table comes out as it does within all of them. */
function verdictShares(name, design, times = repeats) {
  const pair = createRuns(hashText(name));
  const shares = { regressed: 0, ok: 0, inconclusive: 0 };
  // Where only `regressed` is asked for, a margin of 1 spares the search for what would decide.
  const margin = design.isAlarmAlone ? { margin: 1 } : {};
  for (let seed = 0; seed < times; seed += 1) {
    shares[decideComparison(pair(design), { seed, ...margin }).verdict] += 1 / times;
  }
  return shares;
}

function* falseAlarm([cases, trials]) {
  const designs = {
    always: { before: ratesOf(0.9, cases) },
    often: { before: ratesOf(0.7, cases) },
    uneven: { before: ratesOf("uneven", cases) },
    together: { before: ratesOf(0.8, cases), clusterSize: 2, together: 0.8 },
    shifted: {
      before: ratesOf(0.8, cases),
      after: ratesOf(0.8, cases).map((rate, index) => (index % 2 === 0 ? rate + 0.15 : rate - 0.15)),
    },
  };
  for (const [kind, design] of Object.entries(designs)) {
    const shares = verdictShares(`alarm ${cases} ${trials} ${kind}`, { ...design, trials, isAlarmAlone: true });
    yield percent(shares.regressed);
  }
}

function* verdictsUnchanged([cases, trials]) {
  const of = (rate, drop = 0) => {
    const before = ratesOf(rate, cases);
    const design = { before, after: lowered(before, drop), trials };
    return verdictShares(`unchanged ${cases} ${trials} ${rate} ${drop}`, design, 1_000);
  };
  for (const rate of [1, 0.98, 0.9]) yield percent(of(rate).ok);
  yield percent(of(0.95, 0.05).ok);
}

function power([cases, trials, trialsBefore = trials]) {
  const of = (name, before, after) => {
    const design = { before, after, trials, trialsBefore, isAlarmAlone: true };
    return percent(verdictShares(`power ${cases} ${trials} ${trialsBefore} ${name}`, design, 1_000).regressed);
  };
  const before = ratesOf(0.9, cases);
  const broken = before.map((rate, index) => (index % 10 === 0 ? 0 : rate));
  return [
    ...[0.05, 0.1, 0.2, 0.3].map((drop) => of(drop, before, lowered(before, drop))),
    of("broken", before, broken),
  ];
}

function flags([cases, trials]) {
  const broken = (index) => index % 10 === 0;
  const of = (name, after) => {
    const pair = createRuns(hashText(`flags ${cases} ${trials} ${name}`));
    const seen = { found: 0, falseShare: 0, anyFalse: 0 };
    const times = 500;
    for (let repeat = 0; repeat < times; repeat += 1) {
      const flagged = flagCases(pair({ before: ratesOf(0.95, cases), after, trials }));
      const worse = flagged.flatMap(({ change }, index) => (change === "worse" ? [index] : []));
      const wrong = worse.filter((index) => name === "unchanged" || !broken(index)).length;
      seen.found += (worse.length - wrong) / Math.ceil(cases / 10) / times;
      seen.falseShare += (worse.length === 0 ? 0 : wrong / worse.length) / times;
      seen.anyFalse += (wrong > 0 ? 1 : 0) / times;
    }
    return seen;
  };
  const before = ratesOf(0.95, cases);
  const breaks = (rate) =>
    of(
      `breaks ${rate}`,
      before.map((all, index) => (broken(index) ? rate : all)),
    );
  const [gone, half] = [breaks(0), breaks(0.4)];
  return [of("unchanged", before).anyFalse, gone.found, gone.falseShare, half.found, half.falseShare].map(percent);
}

/** What an inconclusive verdict advises (the median), and how often a comparison of that size gives a verdict. */
function advice([cases, trials, rate, drop]) {
  const pair = createRuns(hashText(`advice ${cases} ${trials} ${rate} ${drop}`));
  const seen = { cases: [], trials: [] };
  const decided = { cases: 0, trials: 0 };
  let inconclusive = 0;
  const design = (count, length) => ({
    before: ratesOf(rate, count),
    after: lowered(ratesOf(rate, count), drop),
    trials: length,
  });
  for (let seed = 0; seed < 200; seed += 1) {
    const { wouldDecide, verdict } = decideComparison(pair(design(cases, trials)), { seed });
    if (verdict !== "inconclusive") continue;
    inconclusive += 1;
    for (const by of ["cases", "trials"]) {
      const size = wouldDecide[by];
      // A few advise thousands; to run them takes long and they decide.
      if (size === null || size > 40 * (by === "cases" ? cases : trials)) continue;
      seen[by].push(size);
      const larger = by === "cases" ? design(size, trials) : design(cases, size);
      if (decideComparison(pair(larger), { seed }).verdict !== "inconclusive") decided[by] += 1;
    }
  }
  const middle = (sizes) => sizes.toSorted((a, b) => a - b)[sizes.length >> 1];
  return [
    percent(inconclusive / 200),
    ...["cases", "trials"].flatMap((by) => [String(middle(seen[by])), percent(decided[by] / seen[by].length)]),
  ];
}

export const named = ([cases, trials]) => `${cases} × ${trials}`;
const sizes = [
  [10, 1],
  [20, 1],
  [50, 1],
  [100, 1],
  [200, 1],
  [20, 3],
  [20, 5],
  [50, 5],
];

export const tables = {
  alarms: {
    head: [
      "cases × trials",
      "rate 0.9",
      "rate 0.7",
      "uneven rates",
      "pairs that move together",
      "half better, half worse",
    ],
    rows: sizes,
    name: named,
    cells: falseAlarm,
  },
  unchanged: {
    head: ["cases × trials", "always passes", "rate 0.98", "rate 0.9", "*ok* though 0.95 fell to 0.9"],
    rows: [
      [20, 1],
      [50, 1],
      [74, 1],
      [100, 1],
      [200, 1],
      [500, 1],
      [15, 5],
      [20, 5],
      [50, 5],
      [100, 5],
    ],
    name: named,
    cells: verdictsUnchanged,
  },
  power: {
    head: ["cases × trials", "−0.05", "−0.1", "−0.2", "−0.3", "one case in ten breaks"],
    rows: [
      [10, 1],
      [10, 5],
      [10, 10],
      [20, 1],
      [20, 3],
      [20, 5],
      [20, 10],
      [50, 1],
      [50, 3],
      [50, 5],
      [100, 1],
      [200, 1],
      [50, 1, 5],
    ],
    name: ([cases, trials, before = trials]) =>
      before === trials ? `${cases} × ${trials}` : `${cases} × ${trials}, ${before} in the baseline`,
    cells: power,
  },
  flags: {
    head: [
      "cases × trials",
      "unchanged: any flag",
      "broken cases found",
      "of the flags false",
      "fell to 0.4: found",
      "of the flags false",
    ],
    rows: [
      [20, 1],
      [20, 3],
      [20, 5],
      [50, 5],
      [50, 10],
      [100, 5],
      [100, 10],
    ],
    name: named,
    cells: flags,
  },
  advice: {
    head: ["compared", "inconclusive", "cases advised", "they decide", "trials advised", "they decide"],
    rows: [
      [20, 1, 0.98, 0],
      [20, 1, 0.9, 0],
      [20, 5, 0.9, 0],
      [50, 1, 0.9, 0],
      [20, 1, 0.9, 0.2],
      [50, 1, 0.9, 0.1],
    ],
    name: ([cases, trials, rate, drop]) =>
      `${cases} × ${trials}, ${drop === 0 ? `${rate} unchanged` : `${rate} fell to ${Number((rate - drop).toFixed(2))}`}`,
    cells: advice,
  },
};

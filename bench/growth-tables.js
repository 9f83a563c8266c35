import { createRandom, hashText } from "../packages/core/build/values/random.js";
import { measureGrowth } from "../packages/core/build/statistics/measure-growth.js";
import { normalQuantile } from "../packages/core/build/statistics/normal-distribution.js";

const repeats = 4_000;
const percent = (share) => `${(100 * share).toFixed(1)}%`;

/** What a trial of a case of this size takes: tokens vary by a third, latencies have a long tail, calls are few and whole. */
const kinds = {
  tokens: (size, random) => 1_000 * size * Math.exp(normalQuantile(random()) * 0.3),
  latency: (size, random) => 1_000 * size * Math.exp(normalQuantile(random()) * 0.8),
  calls: (size, random) => Math.floor(size) + (random() < 0.3 ? 1 : 0),
};

function sampleOf(values) {
  const trials = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / trials;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { trials, mean, spread: trials === 1 ? null : Math.sqrt(squares / (trials - 1)) };
}

/** Pairs of an agent whose cases differ in size, and whose trials vary within each. */
function pairsOf({ kind, cases, before, now, factor }, random) {
  return Array.from({ length: cases }, (_, index) => {
    const size = Math.exp(normalQuantile(random()) * 0.8);
    const drawn = (trials, times) => Array.from({ length: trials }, () => kinds[kind](size * times, random));
    const [baseline, candidate] = [sampleOf(drawn(before, 1)), sampleOf(drawn(now, factor))];
    return { cluster: String(index), hasNoise: true, baseline, candidate };
  });
}

function seen(design) {
  const random = createRandom(hashText(JSON.stringify(design)));
  const shares = { grown: 0, covered: 0 };
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const growth = measureGrowth(pairsOf(design, random));
    const [low, high] = growth?.interval ?? [0, Infinity];
    if ((growth?.p ?? 1) <= 0.05 && growth.ratio > 1) shares.grown += 1 / repeats;
    if (low <= design.factor && design.factor <= high) shares.covered += 1 / repeats;
  }
  return shares;
}

function* cellsOf([kind, cases, before, now]) {
  const of = (factor) => seen({ kind, cases, before, now, factor });
  const same = of(1);
  yield* [same.grown, same.covered].map(percent);
  for (const factor of [1.1, 1.2, 1.5]) yield percent(of(factor).grown);
}

export const growthTables = {
  growth: {
    head: ["figure, cases × trials", "unchanged: *grown*", "interval holds 1", "+10%: *grown*", "+20%", "+50%"],
    rows: [
      ["tokens", 5, 5, 5],
      ["tokens", 20, 1, 1],
      ["tokens", 20, 5, 5],
      ["tokens", 50, 5, 5],
      ["tokens", 20, 1, 5],
      ["tokens", 20, 5, 1],
      ["latency", 20, 1, 1],
      ["latency", 20, 5, 5],
      ["latency", 50, 5, 5],
      ["latency", 20, 1, 5],
      ["latency", 20, 5, 1],
      ["calls", 20, 1, 1],
      ["calls", 20, 5, 5],
    ],
    name: ([kind, cases, before, now]) =>
      `${kind}, ${cases} × ${before === now ? now : `${now}, ${before} in the baseline`}`,
    cells: cellsOf,
  },
};

import { describe, expect, it } from "vitest";
import type { Effort } from "../engine/effort.js";
import { ranTest } from "./__fixtures__/ran-test.js";
import { sampleEntry } from "./__fixtures__/sample-baseline.js";
import type { BaselineEntry } from "./baseline.js";
import { decideGrowth, measureSuiteGrowth } from "./compare-growth.js";
import type { RanTest } from "./usability-of.js";

const effort = (more: Partial<Effort> = {}): Effort => ({
  trials: 1,
  costUsd: 0.01,
  tokens: 100,
  latencyMs: 50,
  turns: 2,
  toolCalls: 0,
  ...more,
});

type Changes = { test?: Partial<Omit<RanTest, "status" | "error">>; entry?: Partial<BaselineEntry> };

/** Twelve cases, each of which took this in the baseline and takes that now. */
function pairs(before: Effort | undefined, after: (index: number) => Effort, { test, entry }: Changes = {}) {
  return Array.from({ length: 12 }, (_, index) => ({
    test: ranTest(`t${index}`, { effort: after(index), ...test }),
    entry: sampleEntry(`orders/t${index}@m`, { ...(before === undefined ? {} : { effort: before }), ...entry }),
  }));
}

function grown(...suites: readonly ReturnType<typeof pairs>[]) {
  const measured = suites.map(measureSuiteGrowth);
  return measured.map(decideGrowth(measured, 0.05));
}

describe("the growth of a suite", () => {
  const more = (index: number): Effort => effort({ tokens: 120 + index, latencyMs: index % 2 === 0 ? 40 : 60 });

  it("tells growth from chance, figure by figure, adjusted for all of them", () => {
    const [suite] = grown(pairs(effort(), more));
    expect(suite?.growth?.map(({ name, hasGrown }) => [name, hasGrown])).toEqual([
      ["cost", false],
      ["tokens", true],
      ["latency", false],
      ["turns", false],
    ]);
    const [, tokens] = suite?.growth ?? [];
    expect(tokens).toMatchObject({ p: 2 ** -12, adjustedP: 4 * 2 ** -12, baseline: 100, candidate: 125.5, unknown: 0 });
    const [, again] = grown(pairs(effort(), more), pairs(effort(), more));
    expect(again?.growth?.[1]?.adjustedP).toBe(8 * 2 ** -12);
  });

  it.each([
    ["a slower machine", 3, 9.9, false],
    ["a slower agent", 3, 13.1, true],
    ["a slow agent that became a little slower", 500, 520, true],
  ])("takes latency for that of %s", (_name, before, after, hasGrown) => {
    const [suite] = grown(pairs(effort({ latencyMs: before }), (index) => effort({ latencyMs: after + index / 1000 })));
    expect(suite?.growth?.find(({ name }) => name === "latency")).toMatchObject({ adjustedP: 4 * 2 ** -12, hasGrown });
  });

  it.each<[string, ReturnType<typeof pairs>, object]>([
    ["a baseline of before", pairs(undefined, more), { unsavedGrowth: 12 }],
    [
      "no noise, where any growth counts",
      pairs(effort(), () => effort({ turns: 3 }), { test: { deterministic: true }, entry: { deterministic: true } }),
      {
        growth: expect.arrayContaining([
          expect.objectContaining({ name: "turns", ratio: expect.closeTo(1.5), p: null, hasGrown: true }),
        ]),
      },
    ],
    [
      "a price that is unknown",
      pairs(effort(), () => effort({ costUsd: null })),
      {
        growth: expect.arrayContaining([expect.objectContaining({ name: "cost", cases: 0, ratio: null, unknown: 12 })]),
      },
    ],
  ])("of %s", (_name, all, expected) => {
    expect(grown(all)[0]).toMatchObject(expected);
  });
});

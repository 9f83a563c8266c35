import { describe, expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { createRandom } from "../../values/random.js";
import type { SuiteResult, TestResult } from "../run-result.js";
import { compareArms } from "./compare-arms.js";

const arms = ["control", "same", "other"].map((id) => ({ id, placeboOf: null }));

interface Design {
  cases: number;
  trials: number;
  /** How likely a trial passes; differs from case to case. */
  rate: number;
  /** What the last arm adds to it. */
  gain: number;
}

function drawSuite({ cases, trials, rate, gain }: Design, random: () => number): SuiteResult {
  const tests = Array.from({ length: cases }).flatMap((_none, index) => {
    const own = Math.min(1, Math.max(0, rate + (random() - 0.5) * 0.4));
    return arms.map(({ id }): TestResult => {
      const chance = id === "other" ? Math.min(1, own + gain) : own;
      let passes = 0;
      for (let trial = 0; trial < trials; trial += 1) if (random() < chance) passes += 1;
      return caseOf(String(index), id, passes, trials);
    });
  });
  return { status: "run", name: "s", file: "kindlm.yaml", tests, arms };
}

function caseOf(row: string, arm: string, passes: number, trials: number): TestResult {
  return {
    id: `s/t[${row}]@m~${arm}`,
    suite: "s",
    name: "t",
    model: "m",
    row,
    prompt: null,
    fault: null,
    arm,
    tags: [],
    critical: false,
    // A control may fail, and is compared all the same.
    allowFailure: arm === "control" ? "lacks it" : null,
    position: null,
    status: passes === trials ? "passed" : "failed",
    error: null,
    mixed: passes > 0 && passes < trials,
    passes,
    required: trials,
    runs: trials,
    counted: trials,
    interval: null,
    latencyMs: 1,
    costUsd: 0.01 * trials,
    effort: { trials, costUsd: 0.01, tokens: 10, latencyMs: 1, turns: 1, toolCalls: 0 },
    decisiveTrial: 1,
    fallback: null,
    agentHash: "",
    checkHash: "",
  };
}

describe("the comparison of arms", () => {
  const repeats = draws({ brief: 140, full: 4_000 });

  it.each<[string, Design]>([
    ["twenty single trials", { cases: 20, trials: 1, rate: 0.7, gain: 0 }],
    ["twelve cases of five trials", { cases: 12, trials: 5, rate: 0.6, gain: 0 }],
    ["three cases of ten trials", { cases: 3, trials: 10, rate: 0.5, gain: 0 }],
  ])("calls equal arms different in at most 5% of the runs: %s", (_name, design) => {
    const random = createRandom(7);
    let wrong = 0;
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const { differences } = compareArms(drawSuite(design, random), arms, repeat);
      if (differences.some(({ verdict }) => verdict !== "no_difference_shown")) wrong += 1;
    }
    expect(wrong / repeats).toBeLessThan(0.05 + 4.4 * Math.sqrt((0.05 * 0.95) / repeats));
  });

  it("shows a difference, also on few cases, and says of which cases it speaks", () => {
    const few = compareArms(drawSuite({ cases: 3, trials: 20, rate: 0.3, gain: 0.6 }, createRandom(3)), arms, 1);
    const many = compareArms(drawSuite({ cases: 20, trials: 5, rate: 0.3, gain: 0.6 }, createRandom(3)), arms, 1);
    expect(few.differences[1]).toMatchObject({ to: "other", verdict: "better", about: "these_cases", cases: 3 });
    expect(many.differences[1]).toMatchObject({ to: "other", verdict: "better", about: "such_cases", cases: 20 });
    expect(many.differences[1]?.costUsd).toMatchObject({ from: expect.closeTo(0.01), to: expect.closeTo(0.01) });
  });

  it("says that nothing could have been shown", () => {
    const { differences } = compareArms(
      drawSuite({ cases: 2, trials: 1, rate: 0.3, gain: 0.7 }, createRandom(3)),
      arms,
      1,
    );
    expect(differences.map(({ verdict, detectable }) => [verdict, detectable])).toEqual([
      ["no_difference_shown", null],
      ["no_difference_shown", null],
    ]);
  });
});

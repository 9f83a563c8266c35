import { describe, expect, it } from "vitest";
import { sampleAssertion } from "../../__fixtures__/sample-run.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { measureSpent, measureTrial } from "./measure-trial.js";
import { SuiteTallies } from "./suite-tallies.js";
import { RunTally } from "./run-tally.js";
import type { TrialResult } from "../run-result.js";
import { suiteOfCase } from "./suite-of-case.js";

const judge = (score: number, more: object = {}) => sampleAssertion({ type: "judge", score, ...more });

function trialOf(latencyMs: number, changes: Partial<TrialResult> = {}): TrialResult {
  const turn = { finishReason: "stop", costUsd: 0.1, attempts: [], fallback: null, timeToFirstTokenMs: null };
  const parts = { status: "passed", error: null, latencyMs, attempts: 2, unpricedRequests: 0, turns: [turn] };
  const usage = { inputTokens: 10, outputTokens: 5 };
  return { ...parts, usage, toolCalls: [], assertions: [], ...changes } as unknown as TrialResult;
}

describe("SuiteTallies", () => {
  it("keeps suites apart", () => {
    const tallies = new SuiteTallies();
    for (const ms of [10, 30, 20]) {
      tallies.addResult(measureTrial(trialOf(ms)), "a");
      tallies.addSpent({ ...measureSpent(trialOf(ms)), replayed: 1 }, "a");
    }
    const failing = { error: { errorType: "runtime", message: "x", retryable: true }, tool: "t" };
    tallies.addResult(measureTrial(trialOf(500, { toolCalls: [failing, { tool: "t" }] as never })), "b");
    tallies.addSpent(measureSpent(trialOf(500, { unpricedRequests: 1 })), "b");
    expect([...tallies.totals()]).toEqual([
      [
        "a",
        {
          costUsd: expect.closeTo(0.3, 12) as number,
          unpricedRequests: 0,
          usage: { inputTokens: 30, outputTokens: 15 },
          latencyMs: { p50: 20, p95: 30 },
          requests: 6,
          toolErrors: {},
          replayed: 3,
        },
      ],
      [
        "b",
        {
          costUsd: null,
          unpricedRequests: 1,
          usage: { inputTokens: 10, outputTokens: 5 },
          latencyMs: { p50: 500, p95: 500 },
          requests: 2,
          toolErrors: { runtime: 1 },
        },
      ],
    ]);
    expect(tallies.latencies()).toEqual([10, 30, 20, 500]);
  });

  it("takes the mean of what judges said, in groups too, and not of what they could not say", () => {
    const tallies = new SuiteTallies();
    const error = kindlmError("JUDGE_EVAL_ERROR", "down");
    const group = sampleAssertion({ type: "all_of", score: 0.1, parts: [judge(0.5), judge(0, { skipped: true })] });
    const judged = trialOf(1, { assertions: [judge(1), judge(0, { error }), sampleAssertion(), group] });
    tallies.addResult(measureTrial(judged), "a");
    tallies.addResult(measureTrial(trialOf(1, { assertions: [judge(0)] })), "b");
    expect(tallies.totals().get("a")?.judgeScore).toEqual({ mean: 0.75, count: 2 });
    expect(tallies.judgeScore()).toEqual({ mean: 0.5, count: 3 });
    expect(new SuiteTallies().judgeScore()).toBeNull();
  });

  it("has in its suites what the run has", () => {
    const tally = new RunTally();
    tally.add(trialOf(10, { assertions: [judge(0.25)] }), "a");
    tally.add(trialOf(30), "b");
    tally.addSpent(trialOf(99), "b");
    tally.addSpent(trialOf(99), null);
    const { latencyMs, requests, judgeScore } = tally.summarize([]);
    expect({ latencyMs, requests, judgeScore }).toEqual({
      latencyMs: { p50: 10, p95: 30 },
      requests: 8,
      judgeScore: { mean: 0.25, count: 1 },
    });
    const ofSuites = [...tally.ofSuites()].map(([suite, totals]) => [suite, totals.requests, totals.latencyMs?.p95]);
    expect(ofSuites).toEqual([
      ["a", 2, 10],
      ["b", 4, 30],
    ]);
  });
});

it("finds the suite of a case by the longest name that it begins with", () => {
  expect(suiteOfCase("a/b/t@m", ["a", "a/b", "c"])).toBe("a/b");
  expect(suiteOfCase("ab/t@m", ["a"])).toBeNull();
});

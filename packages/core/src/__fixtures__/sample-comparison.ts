import type { ComparedSuite, RunComparison } from "../summary/comparison-result.js";
import { kindlmError } from "../errors/kindlm-error.js";

/** A suite that got worse, with every fact that a comparison can contain. */
export function comparedSuite(changes: Partial<ComparedSuite> = {}): ComparedSuite {
  return {
    suite: "orders",
    status: "compared",
    verdict: "regressed",
    alpha: 0.05,
    margin: 0.05,
    regressedOutright: ["orders/cancel@offline"],
    cases: 41,
    noisyCases: 40,
    clusters: 20,
    p: 0.0031,
    meanDifference: -0.125,
    interval: [-0.2, -0.05],
    wouldDecide: null,
    baseline: {
      setAt: "2026-11-20T09:30:00.000Z",
      commit: "0123456789abcdef",
      kindlm: "0.1.0",
      note: "release 7",
      passed: 19,
      failed: 2,
    },
    worse: [
      {
        caseId: "orders/refund@gpt",
        isCritical: true,
        baseline: { passes: 10, trials: 10 },
        candidate: { passes: 4, trials: 10 },
        p: 0.0054,
        calls: {
          before: ['lookup_order({"order_id":"ORD-1"})', "issue_refund({})"],
          after: ['lookup_order({"order_id":"ORD-1"})', "cancel_order({})"],
        },
      },
    ],
    better: [
      {
        caseId: "orders/greet@gpt",
        isCritical: false,
        baseline: { passes: 1, trials: 10 },
        candidate: { passes: 10, trials: 10 },
        p: 0.00005,
        calls: null,
      },
    ],
    added: ["orders/new@gpt"],
    removed: ["orders/old@gpt"],
    changedChecks: ["orders/stricter@gpt"],
    uncompared: [{ caseId: "orders/down@gpt", reason: "another model answered" }],
    agentChanges: ["prompt", "model as served: gpt-b, was gpt-a"],
    ...changes,
  };
}

const grown: Partial<ComparedSuite> = {
  growth: [
    {
      name: "tokens",
      cases: 40,
      clusters: 20,
      unknown: 0,
      baseline: 1_204,
      candidate: 1_481,
      ratio: 1.23,
      interval: [1.11, 1.37],
      p: 0.0004,
      adjustedP: 0.004,
      hasGrown: true,
    },
    {
      name: "turns",
      cases: 40,
      clusters: 20,
      unknown: 0,
      baseline: 2,
      candidate: 2.1,
      ratio: 1.03,
      interval: [0.9, 1.2],
      p: 0.3,
      adjustedP: 0.9,
      hasGrown: false,
    },
  ],
  unsavedGrowth: 1,
};

/** Every kind of suite. */
export function sampleComparison(): RunComparison {
  const error = kindlmError("BASELINE_CORRUPT", 'The baseline of suite "torn" is damaged', {
    details: { suite: "torn", path: ".kindlm/baselines/torn.json" },
  });
  return {
    verdict: "regressed",
    suites: [
      comparedSuite(grown),
      comparedSuite({
        suite: "chat",
        verdict: "inconclusive",
        regressedOutright: [],
        cases: 20,
        noisyCases: 20,
        p: 0.5,
        adjusted: { p: 1, suites: 2 },
        meanDifference: -0.05,
        interval: [-0.16, 0.06],
        wouldDecide: { cases: 75, trials: 5 },
        worse: [],
        better: [],
        added: [],
        removed: [],
        changedChecks: [],
        uncompared: [],
        agentChanges: [],
        isConfirmed: true,
      }),
      { suite: "fresh", status: "none" },
      { suite: "torn", status: "unreadable", error },
    ],
  };
}

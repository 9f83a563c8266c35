import { describe, expect, it } from "vitest";
import { comparedSuite, sampleComparison } from "../../../../core/src/__fixtures__/sample-comparison.js";
import type { RunComparison } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";
import { renderComparison } from "./comparison.js";
import { createPrettyView } from "./pretty-view.js";

const options: ReportOptions = {
  color: false,
  verbose: false,
  redact: (text) => text.replaceAll("hunter2", "[secret]"),
  width: 100,
};

function render(comparison: RunComparison, changes: Partial<ReportOptions> = {}): string {
  return [...renderComparison(comparison, createPrettyView({ ...options, ...changes }))].join("");
}

describe("renderComparison", () => {
  it("reports verdict, measure and what changed, suite by suite", () => {
    expect(render(sampleComparison())).toBe(`
Compared with the baseline
  ✗ orders: regressed · 1 deterministic case no longer passes · −12.5 points (95% interval −20 to −5) · p = 0.003 · 40 of 41 cases vary
    Baseline of 2026-11-20 09:30, commit 0123456789, KindLM 0.1.0, release 7
    The agent has changed: prompt, model as served: gpt-b, was gpt-a
    ✗ worse: orders/refund@gpt 10/10 → 4/10, p = 0.005, critical
          lookup_order({"order_id":"ORD-1"})
        - issue_refund({})
        + cancel_order({})
    ✓ better: orders/greet@gpt 1/10 → 10/10, p < 0.001
    New: orders/new@gpt
    Removed: orders/old@gpt
    Not compared, since the check has changed: orders/stricter@gpt
    Not compared: orders/down@gpt (another model answered)
  ? chat: inconclusive, confirmed on new trials · −5 points (95% interval −16 to +6) · p = 1.000, adjusted for 2 suites · 20 cases
    If the rates stay the same, about 75 cases in all, or 5 trials of each (runs: 5, in the baseline too) would decide it
    Baseline of 2026-11-20 09:30, commit 0123456789, KindLM 0.1.0, release 7
  – fresh: no baseline. Save one: kindlm baseline set
  ! torn: not compared
    ✗ The baseline of suite "torn" is damaged
      Restore it from git, or run: kindlm baseline set
`);
  });

  it("cuts long lists, unless everything is asked for", () => {
    const added = Array.from({ length: 8 }, (_, index) => `orders/new-${index}@gpt`);
    const [one] = comparedSuite().better;
    const better = one === undefined ? [] : Array.from({ length: 25 }, () => one);
    const comparison: RunComparison = { verdict: "ok", suites: [comparedSuite({ added, better })] };
    const short = render(comparison);
    expect(short).toContain(
      "New: orders/new-0@gpt, orders/new-1@gpt, orders/new-2@gpt, orders/new-3@gpt, orders/new-4@gpt and 3 more\n",
    );
    expect(short).toContain("and 5 more better (--verbose shows them)");
    expect(render(comparison, { verbose: true })).toContain("orders/new-7@gpt\n");
  });

  it("shows no secret and no control character of what agents called", () => {
    const [one] = comparedSuite().worse;
    const calls = { before: ["a(hunter2)"], after: ["b(\u001b[31m)"] };
    const worse = one === undefined ? [] : [{ ...one, calls }];
    const text = render({ verdict: "regressed", suites: [comparedSuite({ worse })] });
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("\u001b");
    expect(text).toContain("a([secret])");
  });

  it.each([
    [{ cases: 75, trials: null }, "about 75 cases in all would decide it\n"],
    [{ cases: null, trials: null }, "No practical number of cases or trials would decide it\n"],
  ])("says what would decide: %j", (wouldDecide, words) => {
    const suite = comparedSuite({ verdict: "inconclusive", wouldDecide });
    expect(render({ verdict: "inconclusive", suites: [suite] })).toContain(words);
  });

  it("says so where nothing could be compared, or nothing has noise", () => {
    const bare = { p: null, meanDifference: null, interval: null, noisyCases: 0, regressedOutright: [] };
    const suites = [
      comparedSuite({ ...bare, verdict: "inconclusive", cases: 0 }),
      comparedSuite({ ...bare, verdict: "ok", cases: 3 }),
      comparedSuite({ ...bare, cases: 3, regressedOutright: ["a", "b"] }),
    ];
    const text = render({ verdict: "inconclusive", suites });
    expect(text).toContain("orders: inconclusive · nothing could be compared\n");
    expect(text).toContain("orders: ok · 3 cases\n");
    expect(text).toContain("orders: regressed · 2 deterministic cases no longer pass · 3 cases\n");
  });
});

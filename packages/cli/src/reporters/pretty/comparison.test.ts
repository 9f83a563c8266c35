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
BASELINE  2026-11-20 09:30, commit 0123456
▼ orders   regressed      −12.5 points (−20 to −5)                                        p = 0.003
  1 deterministic case no longer passes · 40 of 41 cases vary
  Takes more: tokens +23% (+11% to +37%), 1,204 → 1,481 per trial, p = 0.004
  The baseline of 1 case does not say what trials took (saved by an earlier version of KindLM):
  kindlm baseline set adds it
  Baseline: release 7
  The agent changed: prompt, model as served: gpt-b, was gpt-a
  worst   refund@gpt   10/10 → 4/10   p = 0.005   critical
            lookup_order  order_id "ORD-1"
          - issue_refund
          + cancel_order
  better  greet@gpt   1/10 → 10/10   p < 0.001
  New: orders/new@gpt
  Removed: orders/old@gpt
  Not compared, since the check has changed: orders/stricter@gpt
  Not compared: orders/down@gpt (another model answered)
? chat     inconclusive   −5 points (−16 to +6)                                           p = 1.000
  confirmed on new trials · 20 cases · p adjusted for 2 suites
  If the rates stay the same, about 75 cases in all, or 5 trials of each (runs: 5, in the baseline
  too) would decide it
  Baseline: release 7
– fresh    no baseline: kindlm baseline set saves one
! torn     not compared
  ✗ The baseline of suite "torn" is damaged
    Restore it from git, or run: kindlm baseline set
`);
  });

  it("points up for what is better, and raises no alarm about what merely might be", () => {
    const signOf = (changes: Parameters<typeof comparedSuite>[0]): string | undefined =>
      render({ verdict: "ok", suites: [comparedSuite(changes)] }).split("\n")[2];
    expect(signOf({ verdict: "ok", meanDifference: 0.2, interval: [0.1, 0.3] })).toMatch(/^▲ orders {3}improved/);
    expect(signOf({ verdict: "inconclusive", meanDifference: 0.1, interval: [-0.1, 0.3] })).toMatch(
      /^= orders {3}no change seen {3}\+10 points \(−10 to \+30\)$/,
    );
  });

  it("cuts long lists, unless everything is asked for", () => {
    const added = Array.from({ length: 8 }, (_, index) => `orders/new-${index}@gpt`);
    const [one] = comparedSuite().better;
    const better = one === undefined ? [] : Array.from({ length: 25 }, () => one);
    const comparison: RunComparison = { verdict: "ok", suites: [comparedSuite({ added, better })] };
    const short = render(comparison);
    expect(short.replaceAll(/\n +3/g, " 3")).toContain(
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
    expect(text).toContain("? orders   nothing could be compared\n");
    expect(text).toContain("= orders   no change seen\n");
    expect(text).toContain("▼ orders   regressed\n  2 deterministic cases no longer pass · 3 cases\n");
  });
});

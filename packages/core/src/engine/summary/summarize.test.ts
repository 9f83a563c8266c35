import { describe, expect, it } from "vitest";
import { brokenSuite, finishedTest, quietTotals, suiteOf } from "../../gates/__fixtures__/finished-test.js";
import type { TestResult } from "../run-result.js";
import { summarize } from "./summarize.js";

describe("summarize", () => {
  it("counts the agent's errors as not passed and leaves all others out", () => {
    const summary = summarize(
      [suiteOf("passed", "passed", "passed", "failed", "errored", "skipped"), brokenSuite],
      quietTotals,
    );
    expect(summary).toMatchObject({ total: 7, passed: 3, failed: 1, errored: 1, skipped: 2, passRate: 0.75 });
    expect(summarize([suiteOf("passed", "looping")], quietTotals).passRate).toBe(0.5);
    expect(summarize([suiteOf("errored", "skipped")], quietTotals)).toMatchObject({ passRate: null, interval: null });
  });

  it("does not let an allowed failure count either way", () => {
    expect(summarize([suiteOf("passed", "allowed")], quietTotals)).toMatchObject({
      failed: 1,
      allowedFailures: 1,
      passRate: 1,
    });
    const wavers: TestResult = { ...finishedTest("passed"), allowFailure: "known" };
    const failed = summarize([{ ...suiteOf("failed"), tests: [finishedTest("failed"), wavers] }], quietTotals);
    expect(failed).toMatchObject({ passed: 1, failed: 1, passRate: 0 });
  });
});

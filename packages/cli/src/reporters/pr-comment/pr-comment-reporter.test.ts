import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChangedCase, kindlmError, type RunResult, type SuiteComparison } from "@kindlm/core";
import { draws } from "../../../../core/src/__fixtures__/draws.js";
import { comparedSuite, sampleComparison } from "../../../../core/src/__fixtures__/sample-comparison.js";
import { erroredCase, failedCase, inSuite, passedCase } from "../../../../core/src/__fixtures__/sample-run.js";
import { rendererOf } from "../../../../core/src/__fixtures__/render-report.js";
import { decoded, hostileRuns, intrusionsIn, manyKinds } from "../../__fixtures__/hostile-markdown.js";
import type { ReportOptions } from "../report-options.js";
import { prCommentReporter } from "./pr-comment-reporter.js";

const renderComment = rendererOf(prCommentReporter);

function manyRegressed(): RunResult {
  const suites = Array.from({ length: 30 }, (_, index) => comparedSuite({ suite: `${index} ${"|".repeat(200)}` }));
  return inSuite([failedCase("a")], { comparison: { verdict: "regressed", suites } });
}

/** Of a case that changed. */
function worsened(caseId: string, changes: Partial<ChangedCase> = {}): ChangedCase {
  const [one] = comparedSuite().worse;
  if (one === undefined) throw new Error("no sample");
  return { ...one, caseId, ...changes };
}

describe("prCommentReporter", () => {
  it("shows first what got worse, with the calls that changed, and folds the rest away", async () => {
    const same = { verdict: "ok" as const, regressedOutright: [], worse: [] };
    const worse = [worsened("Suite A/late@gpt"), worsened("Suite A/passes@gpt", { calls: null })];
    const suites = [
      comparedSuite({ suite: "quiet", ...same, meanDifference: 0.001 }),
      comparedSuite({ suite: "Suite A", worse }),
      comparedSuite({ suite: "up", ...same, meanDifference: 0.05, interval: [0.01, 0.1] }),
    ];
    const tests = [
      ...manyKinds(3, ""),
      failedCase("late", { position: { file: "kindlm.yaml", line: 94, column: 1, length: 1 } }),
      erroredCase("down", kindlmError("ENGINE_MAX_TURNS", "The agent was still calling tools")),
    ];
    const gates = [
      { name: "pass_rate", scope: "run" as const, pass: false, limit: 0.9, actual: 0.5, message: "pass_rate: 50%" },
      { name: "cost", scope: "run" as const, pass: true, limit: 1, actual: 0, message: "cost: fine" },
    ];
    const run = inSuite(tests, { gates, comparison: { verdict: "regressed", suites } });
    const text = decoded(await renderComment(run, { commit: "3f2a91cdeadbeef", command: (words) => `npx ${words}` }));
    expect(text).toMatchInlineSnapshot(`
      "### ✗ KindLM: <code>Suite A</code> regressed · 3f2a91c · $0.0123 · 1.2 s

      0 passed · 4 failed · 1 errored · was 57 · 6 · 0

      | | suite | pass rate | against the baseline of 0123456 |
      |---|---|---|---|
      | ▼ | <code>Suite A</code> | 0% | −12.5 points (−20 to −5), 1 deterministic case no longer passes |
      | ▲ | <code>up</code> |  | +5 points (+1 to +10) |
      | = | <code>quiet</code> |  | +0.1 points (−20 to −5) |

      **<code>Expected "hello" in the answer</code>** · 1 case · \`kindlm.yaml:94\`
      <code>Suite A/late@gpt</code> 10/10 → 4/10

      \`\`\`diff
        lookup_order({"order_id":"ORD-1"})
      - issue_refund({})
      + cancel_order({})
      \`\`\`

      **<code>Not polite</code>** · 1 case

      \`\`\`text
      Suite A/case 0@gpt  Not polite
      \`\`\`

      **<code>Not polite</code>** · 1 case

      \`\`\`text
      Suite A/case 1@gpt  Not polite
      \`\`\`

      Also worse: <code>Suite A/passes@gpt</code>

      <details><summary>1 other kind · 1 cause of errors · gates and cost</summary>

      - ✗ **<code>Not polite</code>** · 1 case
      - ! \`The agent was still calling tools\` \`Raise limits.max_turns if the task needs more turns\` · 1 case: <code>Suite A/down@gpt</code>
      - ✗ gate <code>pass_rate: 50%</code>
      - Pass rate 75% (95% interval 30.1% to 95.4%) · cost $0.0123 · 9 requests

      </details>

      Rerun: \`npx kindlm test -t 'Suite A/late@gpt'\`
      "
    `);
  });

  it("counts what the baselines had, if all can be read, and names the branch that they are of", async () => {
    const [one, , fresh, torn] = sampleComparison().suites;
    const other = comparedSuite();
    const headOf = async (suites: readonly (SuiteComparison | undefined)[], more: Partial<ReportOptions> = {}) => {
      const known = suites.flatMap((suite) => (suite === undefined ? [] : [suite]));
      const run = inSuite([failedCase("a")], { comparison: { verdict: "regressed", suites: known } });
      const [, , counters, , heading] = decoded(await renderComment(run, more)).split("\n");
      return [counters, heading];
    };
    const heading = (words: string) => `| | suite | pass rate | against ${words} |`;
    expect(await headOf([one, fresh], { baselineBranch: "main" })).toEqual([
      "0 passed · 1 failed · 0 errored · was 19 · 2 · 0",
      heading("<code>main</code>"),
    ]);
    expect(await headOf([one, torn])).toEqual(["0 passed · 1 failed · 0 errored", heading("the baseline of 0123456")]);
    const later = { ...other, suite: "late", baseline: { ...other.baseline, commit: "fedcba9876543210", passed: 1 } };
    expect(await headOf([one, later])).toEqual([
      "0 passed · 1 failed · 0 errored · was 20 · 4 · 0",
      heading("the baseline"),
    ]);
  });

  it("is one line if nothing is worse", async () => {
    const better = { verdict: "ok" as const, suites: [comparedSuite({ verdict: "ok", worse: [] })] };
    const green = inSuite([passedCase("one"), passedCase("two")]);
    expect(await renderComment(green)).toBe("✓ KindLM: 2 passed · $0.0123 · 1.2 s\n");
    expect(await renderComment({ ...green, comparison: better })).toBe(
      "✓ KindLM: 2 passed · $0.0123 · 1.2 s · 1 case better\n",
    );
    const regressed = { verdict: "regressed" as const, suites: [comparedSuite({ suite: "Suite A" })] };
    expect(decoded(await renderComment({ ...green, comparison: regressed }))).toMatch(
      /^### ▼ KindLM: <code>Suite A<\/code> regressed[^]*\nAlso worse: <code>orders\/refund@gpt<\/code>\n/,
    );
  });

  it.each([
    ["failed cases", inSuite([failedCase("a"), failedCase("b")]), "### ✗ KindLM: 2 cases failed · "],
    [
      "errored cases alone",
      inSuite([erroredCase("a", kindlmError("ENGINE_MAX_TURNS", "still calling"))]),
      "### ! KindLM: 1 case errored, without a verdict about the agent · ",
    ],
    [
      "a gate",
      inSuite([passedCase("a")], { verdict: "failed", reasons: ["cost: $2"] }),
      "### ✗ KindLM: <code>cost: $2</code> · ",
    ],
    ["many suites", manyRegressed(), "### ✗ KindLM: 30 suites regressed · "],
  ])("names what is wrong: %s", async (_, run, start) => {
    expect(decoded(await renderComment(run))).toContain(start);
  });

  it("stays under 8 kB however many failures there are and however long their names, counted in bytes", async () => {
    const runs = [inSuite(manyKinds(60, "", "漢".repeat(300))), manyRegressed(), inSuite(manyKinds(800, ""))];
    for (const run of runs) {
      const text = await renderComment(run);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(7_200);
      expect(Buffer.byteLength(text)).toBeGreaterThan(2_000);
      expect(text.split("<details>").length).toBe(text.split("</details>").length);
      if (run === runs[2]) expect(text).toMatch(/\n- and \d{3} more\n\n<\/details>/);
    }
  });

  it("lets nothing that anybody wrote become anything but code", async () => {
    await fc.assert(
      fc.asyncProperty(hostileRuns, async (run) => {
        expect(intrusionsIn(await renderComment(run))).toEqual([]);
      }),
      { numRuns: draws({ brief: 40, full: 2_000 }) },
    );
  });
});

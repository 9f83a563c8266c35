import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../../../core/src/__fixtures__/draws.js";
import { sampleComparison } from "../../../../core/src/__fixtures__/sample-comparison.js";
import {
  failedCase,
  passedCase,
  sampleAssertion,
  threeSuites,
  inSuite,
} from "../../../../core/src/__fixtures__/sample-run.js";
import { rendererOf } from "../../../../core/src/__fixtures__/render-report.js";
import { decoded, hostileRuns, intrusionsIn, manyKinds, toHtml } from "../../__fixtures__/hostile-markdown.js";
import { markdownReporter } from "./markdown-reporter.js";

const render = rendererOf(markdownReporter);

describe("markdownReporter", () => {
  it("begins with the verdict, and reports what changed before anything else", async () => {
    const text = decoded(await render({ ...threeSuites(), comparison: sampleComparison() }));
    expect(text).toMatch(
      /^## ✗ KindLM: <code>orders<\/code> regressed · \$0\.0123 · 1\.2 s\n\n\*\*3 passed · 1 failed · 1 errored · 2 skipped\*\*\n/,
    );
    const headings = [...text.matchAll(/^### (.*)$/gm)].map(([, title]) => title);
    expect(headings).toEqual([
      "Compared with the baseline",
      "Failed",
      "Errored, without a verdict about the agent",
      "Skipped suites",
    ]);
    const orders = "−12.5 points (−20 to −5), 1 deterministic case no longer passes";
    expect(text.match(/^\| [^-|].*$|^\| \| .*$/gm)?.slice(0, 4)).toEqual([
      "| | suite | pass rate | against the baseline of 0123456 |",
      `| ▼ | <code>orders</code> |  | ${orders} |`,
      "| ? | <code>chat</code> |  | −5 points (−16 to +6), confirmed |",
      '| ! | <code>torn</code> |  | not compared: <code>The baseline of suite "torn" is damaged</code> |',
    ]);
    expect(text).toContain("Verdicts of suites that were tested together are adjusted for their number (Holm).");
    expect(text).toContain("- issue_refund({})\n+ cancel_order({})\n");
    expect(text).toContain("▼ <code>orders/refund@gpt</code> 10/10 → 4/10, critical");
    expect(text).toContain(
      "\n<code>orders</code>\n\n- Takes more: tokens +23% (+11% to +37%), 1,204 → 1,481 per trial, p = 0.004\n- The baseline of 1 case does not say what trials took (saved by an earlier version of KindLM)\n- agent has changed: <code>prompt</code>",
    );
  });

  it("shows gates in a table, whatever stands in them", async () => {
    const gates = [
      { name: "pass_rate", scope: "run" as const, pass: false, limit: 0.9, actual: 0.5, message: "a | b" },
      { name: "cost", scope: "run" as const, pass: true, limit: 1, actual: 0, message: "fine" },
    ];
    const html = toHtml(await render(inSuite([passedCase("one")], { gates })));
    expect(html).toContain("<td>✗</td>\n<td><code>pass_rate</code></td>\n<td><code>a | b</code></td>");
    expect(html).toContain("<td>✓</td>\n<td><code>cost</code></td>");
  });

  it("shows each kind of failure with one conversation, and what differs in its other cases", async () => {
    const expected = { tool: "pay", args: { amount: 5 } };
    const paid = (amount: number): Parameters<typeof failedCase>[2] => {
      const actual = { tool: "pay", args: { amount } };
      const assertions = [sampleAssertion({ type: "tool_called", pass: false, expected, actual })];
      return { toolCalls: [actual], assertions };
    };
    const position = { file: "kindlm.yaml", line: 94, column: 1, length: 1 };
    const tests = [
      failedCase("a", { passes: 1, runs: 3, required: 3, mixed: true, position }, paid(1)),
      failedCase("b", { passes: 2, runs: 3, required: 3 }, paid(2)),
      failedCase("c", { allowFailure: "bug 42" }),
    ];
    const text = decoded(await render(inSuite(tests)));
    expect(text).toContain(
      "**<code>pay is called with the wrong amount</code>** · 2 cases · `kindlm.yaml:94`\n\n" +
        "<details><summary><code>Suite A/a@gpt</code> · 1 of 3 runs passed (needs 3) · trial 1: <code>amount 1, expected 5</code></summary>\n",
    );
    expect(text).toMatch(/```text\n +agent +pay\n +✗ amount +1 +expected 5\n/);
    expect(text).toContain("| <code>Suite A/b@gpt</code> | 2 of 3 | <code>2</code> | <code>5</code> |\n");
    expect(text).toContain("<code>Suite A/c@gpt</code> · allowed: <code>bug 42</code>: <code>");
  });

  it("lets nothing that anybody wrote become anything but code", async () => {
    await fc.assert(
      fc.asyncProperty(hostileRuns, async (run) => {
        expect(intrusionsIn(await render(run))).toEqual([]);
      }),
      { numRuns: draws({ brief: 40, full: 2_000 }) },
    );
  });

  it("stays under what a summary takes, and says so", async () => {
    const text = await render(inSuite(manyKinds(300, "long ".repeat(400))));
    expect(text.length).toBeLessThan(65_000);
    expect(text).toMatch(/\n\d+ more parts of this report would not fit\.\n$/);
    expect(text.split("<details>").length).toBe(text.split("</details>").length);
  });

  it("masks secrets before it cuts", async () => {
    const output = `${"x".repeat(1_995)}hunter2`;
    const redact = (written: string): string => written.replaceAll("hunter2", "[secret]");
    const text = await render(inSuite([failedCase("a", {}, { output })]), { redact });
    expect(text).not.toContain("hunte");
  });
});

import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { describe, expect, it } from "vitest";
import { draws } from "../../../../core/src/__fixtures__/draws.js";
import { comparedSuite, sampleComparison } from "../../../../core/src/__fixtures__/sample-comparison.js";
import type { ChangedCase, RunResult, TestResult } from "@kindlm/core";
import { kindlmError } from "@kindlm/core";
import {
  erroredCase,
  failedCase,
  passedCase,
  sampleAssertion,
  threeSuites,
  inSuite,
} from "../../../../core/src/__fixtures__/sample-run.js";
import { rendererOf } from "../../../../core/src/__fixtures__/render-report.js";
import { commentReporter, markdownReporter } from "./markdown-reporter.js";

const render = rendererOf(markdownReporter);
const renderComment = rendererOf(commentReporter);

/** As a browser would get it: raw HTML is let through, since it is the reporter that has to see to it. */
const toHtml = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });

const decoded = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

const tagsOf = (html: string): string[] => [...html.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, tag = ""]) => tag);

const ours = new Set(
  ["details", "summary", "code", "pre", "p", "h2", "h3", "ul", "li", "strong"].concat([
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
  ]),
);

/** Each fails in its own way. */
function manyKinds(count: number, output: string, name = ""): TestResult[] {
  return Array.from({ length: count }, (_, index) => {
    const assertions = [sampleAssertion({ type: "custom", pass: false, id: `check ${index}`, message: "Not polite" })];
    return failedCase(`case ${index}${name}`, {}, { output, assertions });
  });
}

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

describe("commentReporter", () => {
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
    const text = decoded(await renderComment(run, { commit: "3f2a91cdeadbeef", command: "npx kindlm test" }));
    expect(text).toMatchInlineSnapshot(`
      "### ✗ KindLM: <code>Suite A</code> regressed · 3f2a91c · $0.0123 · 1.2 s

      0 passed · 4 failed · 1 errored · 0 skipped

      | | suite | pass rate | against the baseline |
      |---|---|---|---|
      | ▼ | <code>Suite A</code> | 0% | −12.5 points (−20 to −5), 1 deterministic case no longer passes |
      | ▲ | <code>up</code> |  | +5 points (+1 to +10) |
      | = | <code>quiet</code> |  | +0.1 points (−20 to −5) |

      **<code>The answer does not contain null</code>** · 1 case · \`kindlm.yaml:94\`
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
});

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
      "| | suite | pass rate | against the baseline |",
      `| ▼ | <code>orders</code> |  | ${orders} |`,
      "| ? | <code>chat</code> |  | −5 points (−16 to +6), confirmed |",
      '| ! | <code>torn</code> |  | not compared: <code>The baseline of suite "torn" is damaged</code> |',
    ]);
    expect(text).toContain("Verdicts of suites that were tested together are adjusted for their number (Holm).");
    expect(text).toContain("- issue_refund({})\n+ cancel_order({})\n");
    expect(text).toContain("▼ <code>orders/refund@gpt</code> 10/10 → 4/10, critical");
    expect(text).toContain("\n<code>orders</code>\n\n- agent has changed: <code>prompt</code>");
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
    const hostile = fc.array(
      fc.constantFrom(
        "`",
        "``````",
        "|",
        "<img src=x>",
        "</code>",
        "</details>",
        "@everyone",
        "# h",
        "\n",
        "![a](b)",
        " ",
        "&",
        "~~~",
        "x",
        "[a](http://b)",
        "\\",
        "https://evil.example",
      ),
      { minLength: 1, maxLength: 24 },
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (parts) => {
        const text = parts.join("");
        const assertions = [sampleAssertion({ pass: false, message: text, type: text })];
        const toolCalls = [{ tool: text, args: { [text]: text } }];
        const test = failedCase("a", { id: text, allowFailure: text }, { assertions, toolCalls, output: text });
        const [worse] = comparedSuite().worse;
        if (worse === undefined) throw new Error("no sample");
        const changed = { ...worse, caseId: text, calls: { before: [text], after: [`${text}!`] } };
        const suite = comparedSuite({ suite: text, worse: [changed], added: [text], agentChanges: [text] });
        const gates = [{ name: text, scope: "run" as const, pass: false, limit: 1, actual: 0, message: text }];
        const run = inSuite([test], { gates, comparison: { verdict: "regressed", suites: [suite] }, reasons: [text] });
        for (const html of [toHtml(await render(run)), toHtml(await renderComment(run))]) {
          expect(tagsOf(html).filter((tag) => !ours.has(tag))).toEqual([]);
          for (const tag of ["details", "code", "pre", "table"]) {
            expect(html.split(`<${tag}`).length).toBe(html.split(`</${tag}>`).length);
          }
          // What stands outside of code is the reporter's own.
          const bare = html.replaceAll(/<pre>[\s\S]*?<\/pre>|<code[^>]*>[\s\S]*?<\/code>/g, "");
          expect(bare).not.toMatch(/@everyone|evil\.example|img|&amp;/);
        }
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

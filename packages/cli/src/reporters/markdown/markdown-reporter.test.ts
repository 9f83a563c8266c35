import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { describe, expect, it } from "vitest";
import { draws } from "../../../../core/src/__fixtures__/draws.js";
import { comparedSuite, sampleComparison } from "../../../../core/src/__fixtures__/sample-comparison.js";
import {
  failedCase,
  passedCase,
  sampleAssertion,
  threeSuites,
  inSuite,
} from "../../../../core/src/__fixtures__/sample-run.js";
import { rendererOf } from "../../../../core/src/__fixtures__/render-report.js";
import { markdownReporter } from "./markdown-reporter.js";

const render = rendererOf(markdownReporter);

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

describe("markdownReporter", () => {
  it("begins with the verdict, and reports what changed before anything else", async () => {
    const text = decoded(await render({ ...threeSuites(), comparison: sampleComparison() }));
    expect(text).toMatch(/^## ❌ KindLM: failed\n\n\*\*3 passed, 1 failed, 1 errored, 2 skipped\*\*\n/);
    const headings = [...text.matchAll(/^### (.*)$/gm)].map(([, title]) => title);
    expect(headings).toEqual(["Compared with the baseline", "Failed", "Errored", "Skipped suites"]);
    expect(text).toContain("| <code>orders</code> | ❌ **regressed** | −12.5 | −20 to −5 | 0.0031 |\n");
    expect(text).toContain("| <code>chat</code> | ❔ **inconclusive** (confirmed) | −5 | −16 to +6 | 1.0 |\n");
    expect(text).toContain("p of the suites that were tested together is adjusted for their number (Holm).");
    expect(text).toContain("| <code>fresh</code> | no baseline | | | |\n");
    expect(text).toContain("- issue_refund({})\n+ cancel_order({})\n");
    expect(text).toContain("❌ worse: <code>orders/refund@gpt</code> 10/10 → 4/10, critical");
  });

  it("shows gates in a table, whatever stands in them", async () => {
    const gates = [
      { name: "pass_rate", scope: "run" as const, pass: false, limit: 0.9, actual: 0.5, message: "a | b" },
      { name: "cost", scope: "run" as const, pass: true, limit: 1, actual: 0, message: "fine" },
    ];
    const html = toHtml(await render(inSuite([passedCase("one")], { gates })));
    expect(html).toContain("<td>❌</td>\n<td><code>pass_rate</code></td>\n<td><code>a | b</code></td>");
    expect(html).toContain("<td>✅</td>\n<td><code>cost</code></td>");
  });

  it("shows a failed case with what it missed, called and answered", async () => {
    const toolCalls = [{ tool: "lookup", args: { id: 7 } }];
    const text = decoded(await render(inSuite([failedCase("a", { passes: 1, runs: 3, required: 3 }, { toolCalls })])));
    expect(text).toContain('<code>Suite A/a@gpt</code> 1 of 3 runs passed, 3 needed: <code>Expected "hello"');
    expect(text).toContain('```\nlookup({"id":7})\n```');
    expect(text).toContain("Answer:\n\n```\nhello\n```");
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
        const html = toHtml(await render(run));
        expect(tagsOf(html).filter((tag) => !ours.has(tag))).toEqual([]);
        for (const tag of ["details", "code", "pre", "table"]) {
          expect(html.split(`<${tag}`).length).toBe(html.split(`</${tag}>`).length);
        }
        // What stands outside of code is the reporter's own.
        const bare = html.replaceAll(/<pre>[\s\S]*?<\/pre>|<code[^>]*>[\s\S]*?<\/code>/g, "");
        expect(bare).not.toMatch(/@everyone|evil\.example|img|&amp;/);
      }),
      { numRuns: draws({ brief: 60, full: 2_000 }) },
    );
  });

  it("stays under what a comment takes, and says so", async () => {
    const output = "long ".repeat(400);
    const tests = Array.from({ length: 300 }, (_, index) => failedCase(`case ${index}`, {}, { output }));
    const text = await render(inSuite(tests));
    expect(text.length).toBeLessThan(65_000);
    expect(text).toMatch(/\n\d+ more parts of this report would not fit in a comment\.\n$/);
    expect(text.split("<details>").length).toBe(text.split("</details>").length);
  });

  it("masks secrets before it cuts", async () => {
    const output = `${"x".repeat(1_995)}hunter2`;
    const redact = (written: string): string => written.replaceAll("hunter2", "[secret]");
    const text = await render(inSuite([failedCase("a", {}, { output })]), { redact });
    expect(text).not.toContain("hunte");
  });
});

import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { RunResult, TestResult } from "@kindlm/core";
import { comparedSuite } from "../../../core/src/__fixtures__/sample-comparison.js";
import { failedCase, inSuite, sampleAssertion } from "../../../core/src/__fixtures__/sample-run.js";

/** Each fails in its own way. */
export function manyKinds(count: number, output: string, name = ""): TestResult[] {
  return Array.from({ length: count }, (_, index) => {
    const assertions = [sampleAssertion({ type: "custom", pass: false, id: `check ${index}`, message: "Not polite" })];
    return failedCase(`case ${index}${name}`, {}, { output, assertions });
  });
}

/** As a browser would get it: raw HTML is let through, since it is the reporter that has to see to it. */
export const toHtml = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });

export const decoded = (text: string): string =>
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

/** Text that wants to be more than text. */
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

/** A failed run in which everything that anybody may have written is such text. */
export const hostileRuns: fc.Arbitrary<RunResult> = hostile.map((parts) => {
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
  return run;
});

/** The tags in Markdown that are not the reporter's, those that are left open, and words of others outside of code. */
export function intrusionsIn(markdown: string): readonly string[] {
  const html = toHtml(markdown);
  const open = ["details", "code", "pre", "table"].filter(
    (tag) => html.split(`<${tag}`).length !== html.split(`</${tag}>`).length,
  );
  const bare = html.replaceAll(/<pre>[\s\S]*?<\/pre>|<code[^>]*>[\s\S]*?<\/code>/g, "");
  const others = bare.match(/@everyone|evil\.example|img|&amp;/g) ?? [];
  return [...tagsOf(html).filter((tag) => !ours.has(tag)), ...open, ...others];
}

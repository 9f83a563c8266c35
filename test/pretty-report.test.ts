import { cpSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { textWidth } from "../packages/cli/src/terminal/text-width.js";
import { runCli, stable } from "./support/run-cli.js";

const fine = (names: readonly string[]): string =>
  names.map((name) => `      - { name: ${name}, input: hello, assert: [{ type: contains, value: fine }] }\n`).join("");

/** 21 cases in three suites: three kinds of failures, two causes of errors, flaky cases, text of all widths. */
const project = {
  "status.csv": "id\n東京\ndelta\n",
  "amounts.csv": "id,amount\ndelta,1250\nalpha,49.99\nbeta,120\ngamma,7.5\n",
  "goodwill.csv": "id\nalpha\nbeta\n👩‍👩‍👧‍👦\n",
  "kindlm.yaml": `version: 1
project: acme
retry: disabled
defaults: { runs: 5, pass: 3/5, seed: 7 }
models:
  - id: gpt
    provider: scripted
    script:
      rules:
        - { when: { user: { $contains: lawyer } }, reply: { error: { status: 400, body: no such model } } }
        - { when: { user: { $contains: haggle } }, reply: { error: { status: 500, body: out of order } } }
        - { when: { user: { $contains: third time }, last_tool_result: { ticket: T-1 } }, reply: { text: A colleague calls you. } }
        - { when: { user: { $contains: third time } }, reply: { tool_calls: [{ tool: escalate, args: { priority: high, summary: Third complaint } }] } }
        - { when: { last_tool_result: { refund_id: { $contains: RF } } }, reply: { text: "Done: 1 euro for ORD-4 is on its way back to your card." } }
        - { when: { user: { $regex: ^Yes } }, reply: { tool_calls: [{ tool: issue_refund, args: { order_id: ORD-4, amount: 1, reason: customer asked } }] } }
        - { when: { last_tool_result: { errorType: runtime } }, reply: { tool_calls: [{ tool: lookup_order, args: { order_id: "{{args.order_id}}" } }] } }
        - { when: { last_tool_result: { total: 1250 } }, reply: { text: Order ORD-4 came to 1250. Shall I refund it? } }
        - { when: { last_tool_result: { total: 49.99 } }, reply: { text: It is on its way. } }
        - { when: { user: { $contains: refund of order } }, reply: { tool_calls: [{ tool: lookup_order, args: { order_id: ORD-4 } }] } }
        - { when: { user: { $contains: Where is } }, reply: { tool_calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }] } }
        - { when: { user: { $contains: coin } }, choose: [{ weight: 4, reply: { text: heads } }, { weight: 1, reply: { text: tails } }] }
      otherwise: { text: fine }
  - { id: critic, provider: scripted, script: { otherwise: { json: { reasoning: "Courteous, but it neither apologises nor says when.", score: 0.4 } } } }
suites:
  - name: order-status
    models: [gpt]
    tools: [{ name: lookup_order, parameters: { type: object }, responses: [{ return: { order_id: ORD-1, status: delivered, total: 49.99 } }] }]
    tests:
      - { name: where-is, dataset: status.csv, input: "Where is my order ORD-1?", assert: [{ type: contains, value: delivered }] }
      - { name: unknown-order, input: my lawyer, assert: [{ type: contains, value: x }] }
${fine(["greets", "thanks", "says-goodbye", "speaks-plainly", "knows-the-shop"])}  - name: refunds
    models: [gpt]
    tools:
      - { name: lookup_order, parameters: { type: object }, responses: [{ return: { order_id: ORD-4, status: delivered, total: 1250 } }] }
      - { name: issue_refund, parameters: { type: object }, responses: [{ return: { refund_id: RF-ORD-4 } }] }
    tests:
      - name: full-refund
        dataset: { file: amounts.csv, columns: { amount: number } }
        conversation: [{ user: I want a refund of order ORD-4 }, { user: "Yes, please" }]
        faults: [{ tool: lookup_order, kind: error, call: 1, error: { message: connection reset, retryable: true } }]
        assert: [{ type: tool_called, tool: issue_refund, args: { order_id: ORD-4, amount: "{{amount}}" }, user_turn: 2 }]
      - { name: haggles, input: haggle, assert: [{ type: contains, value: x }] }
      - { name: goodwill, dataset: goodwill.csv, input: "coin {{id}}", assert: [{ type: contains, value: heads }] }
${fine(["declined-by-user"])}  - name: escalations
    models: [gpt]
    tools: [{ name: escalate, parameters: { type: object }, responses: [{ return: { ticket: T-1 } }] }]
    tests:
      - { name: angry-customer, input: This is the third time! I want a manager!, assert: [{ type: judge, model: critic, criteria: Says sorry and says what happens next, threshold: 0.7, samples: 3 }] }
      - { name: legal-threat, input: my lawyer, assert: [{ type: contains, value: x }] }
${fine(["greets", "thanks"])}gates: { pass_rate: 0.8, errored: 2 }
`,
};

let cwd: string;
beforeAll(async () => {
  cwd = makeProject(project);
  const { stdout } = await runCli(["test"], { cwd });
  expect(stdout).toContain("Summary: 11 passed, 7 failed, 3 errored, 0 skipped");
});

const report = async (env: Record<string, string>, args: readonly string[] = []): Promise<string> =>
  (await runCli(["report", "--reporter", "pretty", ...args], { cwd, env })).stdout;

// eslint-disable-next-line no-control-regex -- styles begin with one
const styles = /\u001b\[[\d;]*m/g;

describe("the report in the terminal", () => {
  it.each([80, 120])("is laid out for %i columns", async (columns) => {
    const text = await report({ COLUMNS: String(columns) });
    await expect(stable(text, cwd)).toMatchFileSnapshot(`__golden__/report-${columns}.txt`);
  });

  it.each([40, 60, 80, 120, 200])("leaves the last of %i columns free, and breaks no word", async (columns) => {
    const wordsOf = (text: string): string[] => text.split(/[\s…]+/).filter((word) => !/^[─│├└]/.test(word));
    const all = wordsOf(await report({ COLUMNS: "1000" })).join(" ");
    const text = await report({ COLUMNS: String(columns) });
    expect(text.split("\n").filter((line) => textWidth(line) > Math.min(columns, 120) - 1)).toEqual([]);
    expect(wordsOf(text).filter((word) => !all.includes(word))).toEqual([]);
  });

  it("shows 14 failures of 3 kinds in three blocks and few lines", async () => {
    const more = makeProject({
      ...project,
      "status.csv": `${project["status.csv"]}beta\ngamma\nepsilon\n`,
      "amounts.csv": `${project["amounts.csv"]}epsilon,8\nzeta,9\neta,10\ntheta,11\n`,
      // Without those that end in an error.
      "kindlm.yaml": project["kindlm.yaml"].replaceAll(/^.*(?:my lawyer|input: haggle).*\n/gm, ""),
    });
    const { stdout } = await runCli(["test"], { cwd: more, env: { COLUMNS: "80" } });
    expect(stdout).toMatch(/^Summary: \d+ passed, 14 failed, 0 errored, 0 skipped$/m);
    expect(stdout).toContain("\nFAILED  3 kinds, 14 cases\n");
    expect(stdout.match(/^✗ \d /gm)).toHaveLength(3);
    const between = stdout.slice(stdout.indexOf("\nFAILED") + 1, stdout.indexOf("\nPass rate"));
    expect(between).toMatch(/\nFLAKY .*\nGATES/s);
    expect(between.split("\n").length).toBeLessThanOrEqual(70);
  });

  it("is the same without colors but for its styles", async () => {
    const plain = await report({ COLUMNS: "80" });
    const colored = await report({ COLUMNS: "80", FORCE_COLOR: "1" });
    expect(colored).not.toBe(plain);
    expect(colored.replaceAll(styles, "")).toBe(plain);
    expect(await report({ COLUMNS: "80", NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(plain);
    expect(colored).toContain("\u001b[31m7 failed\u001b[39m, \u001b[35m3 errored\u001b[39m, \u001b[2m0 skipped");
  });

  it("is red only in the first lines of errors if nothing failed", async () => {
    const errored = makeProject({
      ...project,
      "kindlm.yaml": `${project["kindlm.yaml"].split("suites:")[0]}suites:
  - { name: s, models: [gpt], tests: [{ name: a, input: haggle, assert: [{ type: contains, value: x }] }] }
gates: { errored: 0 }
`,
    });
    const { stdout } = await runCli(["test"], { cwd: errored, env: { FORCE_COLOR: "1" } });
    expect(stdout.split("\n").filter((line) => line.includes("\u001b[31m"))).toEqual([
      expect.stringContaining("Scripted model returned 500: out of order"),
    ]);
    expect(stdout).toContain("\u001b[35m!\u001b[39m 1  ");
  });

  it("uses ASCII in a locale without UTF-8", async () => {
    const text = await report({ COLUMNS: "80", LANG: "C" });
    expect(text).toContain("|-- refunds (9 cases)");
    expect(text).toMatch(/^x 1 {2}issue_refund is called with the wrong amount/m);
    expect(text.replaceAll(/東京|👩‍👩‍👧‍👦/g, "")).toMatch(/^[\n -~]*$/);
    expect(await report({ COLUMNS: "80", LANG: "de_DE.UTF-8" })).toBe(await report({ COLUMNS: "80" }));
  });

  it("folds each transcript on GitHub, under the name of its case", async () => {
    const text = await report({ GITHUB_ACTIONS: "true" });
    expect(text.match(/^::.*$/gm)).toEqual([
      "::group::refunds/full-refund[delta]@gpt trial 1",
      "::endgroup::",
      "::group::order-status/where-is[東京]@gpt trial 1",
      "::endgroup::",
      "::group::escalations/angry-customer@gpt trial 1",
      "::endgroup::",
    ]);
  });

  it("has handles that show takes, and hints that run what did not pass", async () => {
    const shown = await runCli(["show", "1"], { cwd });
    expect(shown.stdout).toContain(
      "✗ 1  issue_refund is called with the wrong amount\n     also refunds/full-refund[alpha]@gpt",
    );
    // Further runs would be what the other tests report of.
    const copy = makeProject({});
    cpSync(cwd, copy, { recursive: true });
    const again = await runCli(["test", "--rerun-failed"], { cwd: copy });
    expect(again.stdout).toContain("Summary: 0 passed, 7 failed, 3 errored, 0 skipped");
    const third = await runCli(["test", "--rerun-failed"], { cwd: copy });
    expect(third.stdout).toContain("Summary: 0 passed, 7 failed, 3 errored, 0 skipped");
  });
});

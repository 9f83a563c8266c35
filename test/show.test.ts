import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTerminal } from "../packages/cli/src/__fixtures__/headless-terminal.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { textWidth } from "../packages/cli/src/terminal/text-width.js";
import { runCli, stable } from "./support/run-cli.js";

/** Everything that a conversation can contain: wrong arguments, faults, retries, tries, simulated users, judges, errors. */
const project = `version: 1
project: acme
retry: { max_attempts: 2, initial_delay: 1ms, jitter: 0 }
models:
  - id: gpt
    provider: scripted
    script:
      rules:
        - { when: { user: { $contains: out of order } }, reply: { error: { status: 500, body: "out of order" } } }
        - { when: { last_tool_result: { $contains: RF } }, reply: { text: "Done: 1 euro for ORD-4 is on its way back to your card." } }
        - { when: { user: { $regex: "^Yes" } }, reply: { tool_calls: [{ tool: issue_refund, args: { order_id: ORD-4, amount: 1, reason: customer asked, items: [{ sku: A, n: 2 }] } }] } }
        - { when: { last_tool_result: { errorType: runtime } }, reply: { tool_calls: [{ tool: lookup_order, args: { order_id: "{{args.order_id}}" } }] } }
        - { when: { last_tool_result: { status: delivered } }, reply: { text: "Order ORD-4 came to 1250. Shall I refund it?" } }
        - { when: { user: { $contains: roulette } }, choose: [{ weight: 1, reply: { text: red } }, { weight: 1, reply: { text: black } }] }
        - { when: { user: { $contains: refund } }, reply: { tool_calls: [{ tool: lookup_order, args: { order_id: ORD-4 } }] } }
      otherwise: { text: "東京の天気は晴れです。 👩‍👩‍👧 I cannot say, but I can say a good deal about why I cannot say it." }
  - { id: critic, provider: scripted, script: { otherwise: { json: { reasoning: It neither apologises nor says when., score: 0.4 } } } }
  - id: customer
    provider: scripted
    script:
      rules: [{ when: { user: { $contains: conversation begins } }, reply: { text: A refund of my order } }]
      otherwise: { text: "Yes, please" }
suites:
  - name: s
    models: [gpt]
    tools:
      - { name: lookup_order, parameters: { type: object }, responses: [{ return: { order_id: ORD-4, status: delivered, total: 1250 } }] }
      - { name: issue_refund, parameters: { type: object }, responses: [{ return: RF-ORD-4 }] }
    tests:
      - name: refund
        runs: 2
        simulated_user: { model: customer, goal: get a refund, max_turns: 2 }
        faults: [{ tool: lookup_order, kind: error, call: 1, error: { message: connection reset, retryable: true } }]
        assert:
          - { type: tool_called, tool: issue_refund, args: { order_id: ORD-4, amount: 1250, items: [{ sku: A, n: 3 }], currency: EUR } }
      - name: tries
        input: Where is it?
        retry_until: { max_tries: 2, assert: [{ type: contains, value: delivered }], description: the status }
        assert: [{ type: contains, value: delivered }]
      - { name: judged, input: This is the third time!, assert: [{ type: judge, model: critic, criteria: Says sorry, threshold: 0.7 }] }
      - { name: down, input: out of order, assert: [{ type: contains, value: x }] }
      - { name: dice, input: roulette, runs: 6, assert: [{ type: contains, value: red }] }
      - { name: fine, input: "hello \\u001b[31m", assert: [{ type: contains, value: 天気 }] }
`;

let cwd: string;
beforeAll(async () => {
  cwd = makeProject({ "kindlm.yaml": project });
  const { stdout } = await runCli(["test"], { cwd });
  expect(stdout).toContain("Summary: 1 passed, 4 failed, 1 errored, 0 skipped");
});

const show = async (args: readonly string[], columns = 80) => {
  const { code, stdout, stderr } = await runCli(["show", ...args], { cwd, env: { COLUMNS: String(columns) } });
  return { code, stdout: stable(stdout, cwd), stderr };
};

describe("kindlm show", () => {
  it("lists the kinds of failures and the causes of errors", async () => {
    expect(await show([])).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "",
        "stdout": "✗ 1  issue_refund is called with the wrong amount
           s/refund@gpt

      ✗ 2  The answer was not approved in 2 tries
           s/tries@gpt

      ✗ 3  The judge gives 0.4, needs 0.7: "Says sorry"
           s/judged@gpt

      ✗ 4  The answer does not contain "red"
           s/dice@gpt

      ! 1  Scripted model returned 500: out of order
           s/down@gpt
      ",
      }
    `);
  });

  it("shows what was said and called, with the rejected arguments", async () => {
    expect((await show(["1"])).stdout).toMatchInlineSnapshot(`
      "✗ 1  issue_refund is called with the wrong amount

      ✗ s/refund@gpt  failed
        kindlm.yaml:30

      ✗ trial 1: failed · trials 1 and 2 ended alike
        <time> · 5 requests · $0 · gpt

           user    A refund of my order                                     simulated
           agent   lookup_order  order_id "ORD-4"
           fault   error:lookup_order, injected: "connection reset"
           agent   lookup_order  order_id "ORD-4"                            2nd call
           tool    order_id "ORD-4", status "delivered", total 1250
           agent   Order ORD-4 came to 1250. Shall I refund it?
           user    Yes, please                                              simulated
           agent   issue_refund
                     order_id    "ORD-4"
                   ✗ amount      1           expected 1250
                     reason      "customer asked"
                     items       [{sku: "A", n: 2}]
                   ✗ items[0].n  2           expected 3
                   ✗ currency    null        expected "EUR"
           tool    RF-ORD-4
           agent   Done: 1 euro for ORD-4 is on its way back to your card.
           kindlm  the simulated user had sent max_turns messages

           ✗ tool_called: Expected issue_refund({order_id: "ORD-4", amount: 1250,
             items: [{sku: "A", n: 3}], currency: "EUR"}), but the only call differs
             at amount: 1, items[0].n: 2, currency: absent
      "
    `);
  });

  it.each(["tries", "judged", "down"])("shows %s", async (name) => {
    await expect((await show([name])).stdout).toMatchFileSnapshot(`__golden__/show-${name}.txt`);
  });

  it("shows one transcript for the trials that ended alike", async () => {
    const { stdout } = await show(["dice"]);
    expect(stdout.match(/^. trial .*$/gm)).toMatchInlineSnapshot(`
      [
        "✓ trial 1: passed · trials 1, 3, 5, and 6 ended alike",
        "✗ trial 2: failed · trials 2 and 4 ended alike",
      ]
    `);
    expect((await show(["dice", "--all"])).stdout.match(/^. trial .*$/gm)).toHaveLength(6);
    expect((await show(["dice", "--trial", "2"])).stdout.match(/^. trial .*$/gm)).toEqual([
      expect.stringContaining("trial 2"),
    ]);
  });

  it.each([40, 60, 80, 120, 200])("leaves the last of %i columns free, and breaks no word", async (columns) => {
    const wordsOf = (text: string): string[] => stable(text, cwd).split(/\s+/);
    const words = new Set(wordsOf((await show(["refund"], 1_000)).stdout));
    for (const name of ["refund", "tries", "judged", "down", "fine"]) {
      const { stdout } = await runCli(["show", name], { cwd, env: { COLUMNS: String(columns) } });
      expect(stdout.split("\n").filter((line) => textWidth(line) > columns - 1)).toEqual([]);
      if (name === "refund") expect(wordsOf(stdout).filter((word) => !words.has(word))).toEqual([]);
    }
  });

  it("is what the journal has as JSON, messages included", async () => {
    const { stdout } = await runCli(["show", "refund", "--json"], { cwd });
    const shown: unknown = JSON.parse(stdout);
    expect(shown).toMatchObject({
      id: "s/refund@gpt",
      status: "failed",
      trials: [
        {
          trial: 1,
          messages: expect.arrayContaining([{ role: "user", content: "A refund of my order" }]),
          toolCalls: [
            { tool: "lookup_order" },
            { tool: "lookup_order" },
            { tool: "issue_refund", args: { amount: 1 } },
          ],
        },
        { trial: 2 },
      ],
    });
  });

  it("writes escapes of the model out", async () => {
    expect((await show(["fine"])).stdout).toContain("hello ␛[31m");
    const ascii = await runCli(["show", "fine"], { cwd, env: { COLUMNS: "80", LANG: "C" } });
    expect(ascii.stdout).toContain(String.raw`hello \u001b[31m`);
  });

  it.each([
    [["refnd"], '✗ No case of run <run> matches "refnd"\n  Did you mean "refund"?\n'],
    [["9"], "✗ Run <run> has no kind 9 of failures\n  It has 4 kinds of failures\n"],
    [["refund", "--trial", "3"], "✗ Case s/refund@gpt has no trial 3\n  Its trials: 1 and 2\n"],
    [["--run", "nope"], expect.stringContaining("nope")],
  ])("refuses %j", async (args, expected) => {
    const { code, stderr, stdout } = await runCli(["show", ...args], { cwd });
    expect({ code, stdout, stderr: stable(stderr, cwd) }).toEqual({ code: 1, stdout: "", stderr: expected });
  });
});

describe("a large run", () => {
  const words = Array.from({ length: 24 }, (_, index) => `w${index}`);
  const large = `version: 1
retry: disabled
models:
  - id: gpt
    provider: scripted
    script: { rules: [{ when: { user: down }, reply: { error: { status: 500, body: x } } }], otherwise: { text: hello } }
suites:
  - name: s
    models: [gpt]
    tools: [${words.map((word) => `{ name: ${word}, responses: [{ return: 1 }] }`).join(", ")}]
    tests:
      - { name: fine, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: many, dataset: rows.jsonl, input: hi, assert: [{ type: contains, value: x }] }
      - { name: down, dataset: few.jsonl, input: down, assert: [{ type: contains, value: x }] }
${words.map((word) => `      - { name: ${word}, input: hi, assert: [{ type: tool_called, tool: ${word} }] }`).join("\n")}
`;
  const rows = (count: number): string =>
    Array.from({ length: count }, (_, index) => `{"id":"r${index}","q":1}`).join("\n");
  const formats = ["json", "markdown", "pr-comment", "html"];
  let place: string;
  let report: string;
  beforeAll(async () => {
    place = makeProject({ "kindlm.yaml": large, "rows.jsonl": rows(1_010), "few.jsonl": rows(40) });
    const files = formats.flatMap((format) => ["--reporter", `${format}=${format}.out`]);
    report = (await runCli(["test", "--reporter", "pretty", ...files], { cwd: place })).stdout;
  });
  const inTerminal = async (args: readonly string[]): Promise<readonly string[]> => {
    const terminal = openTerminal(100, 40);
    await runCli(["show", ...args], { cwd: place, env: { TERM: "xterm" }, terminal });
    return terminal.lines();
  };

  it("is listed in part in a terminal, with the command that lists all of it", async () => {
    const lines = await inTerminal([]);
    expect(lines.slice(0, 3)).toEqual([
      '✗  1  The answer does not contain "x"',
      "      s/many[r0]@gpt",
      "      s/many[r1]@gpt",
    ]);
    expect(lines.slice(9, 13)).toEqual(["      … and 1,002 more", "", "✗  2  w0 is not called", "      s/w0@gpt"]);
    expect(lines.slice(-14, -10)).toEqual([
      "… and 5 more kinds",
      "",
      "!  1  Scripted model returned 500: x",
      "      s/down[r0]@gpt",
    ]);
    expect(lines.slice(-3)).toEqual(["      … and 32 more", "", "All of them: kindlm show --all"]);
    expect((await inTerminal(["--all"])).filter((line) => line.startsWith("      s/"))).toHaveLength(1_074);
    const piped = await runCli(["show"], { cwd: place });
    expect(piped.stdout.match(/^ +s\//gm)).toHaveLength(1_074);
    const asData: unknown = JSON.parse((await runCli(["show", "--json"], { cwd: place })).stdout);
    expect(asData).toHaveLength(1_074);
  });

  it("lists cases that match a word in part, those that did not pass first", async () => {
    const lines = await inTerminal(["@gpt", "-c", "."]);
    expect(lines[0]).toBe('✗ s/many[r0]@gpt  the answer does not contain "x"');
    expect(lines.slice(-3)).toEqual(["… and 1,035 more cases", "", "All of them: kindlm show @gpt -c . --all"]);
    expect((await inTerminal(["@gpt", "--all"])).at(-1)).toBe("✓ s/fine@gpt");
    expect((await inTerminal(["1"]))[1]).toMatch(/ also s\/many\[r1\]@gpt, .*$/);
  });

  it("has the same counts for people everywhere, and plain numbers for programs", () => {
    const written = Object.fromEntries(formats.map((name) => [name, readFileSync(join(place, `${name}.out`), "utf8")]));
    expect(report).toContain("Summary: 1 passed, 1,034 failed, 40 errored, 0 skipped");
    expect(report).toContain("1/1,035");
    expect(written["markdown"]).toContain("**1 passed · 1,034 failed · 40 errored**");
    expect(written["pr-comment"]).toContain("1 passed · 1,034 failed · 40 errored");
    expect(written["html"]).toContain("1 passed, 1,034 failed, 40 errored");
    expect(JSON.parse(written["json"] ?? "")).toMatchObject({ summary: { failed: 1_034 } });
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { everyFake } from "./support/fake-models/every-fake.js";
import type { NeutralAnswer, NeutralRequest } from "./support/fake-models/fake-model.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { reportErrors } from "./support/report-errors.js";
import { runCli, stable } from "./support/run-cli.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";

const tools = `    tools:
      - name: book_table
        parameters: { type: object, properties: { at: { type: string } }, required: [at] }
        responses: [{ times: 1, error: { type: runtime, message: upstream timed out, recommendations: [Wait a moment] } }]
        default: { return: { booked: "{{args.at}}" } }
`;
const book = (at: string): string => `{ tool_calls: [{ tool: book_table, args: { at: "${at}" } }] }`;

/** Gives up after the first error, unless it is told to go on. */
const rules = `[
      { when: { last_tool_result: { booked: "20:00" } }, reply: { text: "It is booked." } },
      { when: { user: { $contains: again } }, reply: ${book("20:00")} },
      { when: { last_tool_result: { errorType: runtime } }, reply: { text: "That did not work." } }]`;

const config = scriptedConfig({
  rules,
  otherwise: book("20:00"),
  suites: `  - name: tables
${tools}    assert: [{ type: contains, value: booked }]
    tests:
      - { name: by-itself, input: A table please }
      - { name: nudged, input: A table please, on_tool_error: { nudge: "Please try {{tool}} again", max: 2 }, runs: 2 }
      - { name: ended, input: A table please, on_tool_error: fail }
      - { name: put-in, input: A table please, on_tool_error: fail, faults: [{ id: down, tool: book_table, kind: error, call: 1 }] }
`,
});

describe("after a tool error", () => {
  it("shows in the report for people who had to be nudged, and what ended the trial", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const { stdout, stderr, code } = await runCli(["test", "--verbose"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/✓ tables\/nudged@m +2 of 2 +.*, after 2 nudges in 2 of 2 runs\n/);
    await expect(stable(stdout, cwd)).toMatchFileSnapshot("__golden__/after-a-tool-error.txt");
  });

  it("shows it in the other reports, the events and the log", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const { stdout } = await runCli(["test", "--reporter", "json"], { cwd });
    const report = JSON.parse(stdout) as {
      summary: object;
      suites: { tests: { name: string; status: string; trials: { assertions: object[] }[] }[] }[];
    };
    expect(reportErrors(report)).toEqual([]);
    expect(report.summary).toMatchObject({ nudges: 2, toolErrors: { runtime: 5 } });
    const [byItself, nudged, ended, putIn] = report.suites[0]?.tests ?? [];
    expect(byItself).toMatchObject({ status: "failed" });
    expect(byItself).not.toHaveProperty("nudges");
    expect(nudged).toMatchObject({ status: "passed", nudges: { count: 2, trials: 2 } });
    expect(nudged?.trials[0]).toMatchObject({
      nudges: [{ userTurn: 1, text: "Please try book_table again", tool: "book_table", failure: { retryable: true } }],
    });
    expect(ended?.trials[0]?.assertions).toMatchObject([{ type: "on_tool_error", pass: false }, { type: "contains" }]);
    expect(putIn?.trials[0]?.assertions[0]).toMatchObject({
      message: expect.stringContaining('(injected by the fault "down")') as string,
    });
    const junit = await runCli(["test", "--reporter", "junit"], { cwd });
    expect(junit.stdout).toContain('<property name="kindlm.nudges[nudged@m]" value="2"/>');
    const log = await runCli(["test", "--log-format", "json"], { cwd });
    expect(log.stderr).toContain('"message":"The agent is nudged"');
  });

  it.each([
    ["on_tool_error: stop", '"on_tool_error" must be "continue", "fail", "nudge" or an object'],
    ["on_tool_error: { nuge: again }", 'Unknown key "nuge"'],
    ["on_tool_error: { max: 2 }", '"nudge" must be true or a string'],
    ["on_tool_error: { nudge: again, max: 0 }", '"max" must be at least 1'],
    ["on_tool_error: { nudge: 'Use {{tol}}' }", "Unknown placeholder {{tol}}"],
    ["on_tool_error: { nudge: 'Use {{tol}}' }", 'Did you mean "tool"?'],
    ["on_tool_error: nudge, limits: { max_turns: 2 }", "No nudge is ever sent"],
    ["on_tol_error: fail", 'Did you mean "on_tool_error"?'],
    ["on_tool_error: fail, assert: [{ type: recovers_from, tool: book_table }]", '"recovers_from" cannot pass'],
    [
      "on_tool_error: fail, assert: [{ all_of: [{ type: fixes_arguments, tool: book_table }] }]",
      '"fixes_arguments" cannot pass',
    ],
  ])("is looked at by validate: %s", async (written, message) => {
    const suites = `  - name: s\n${tools}    assert: [{ type: turns, min: 0 }]\n    tests: [{ name: t, input: go, ${written} }]`;
    const cwd = makeProject({ "kindlm.yaml": scriptedConfig({ suites }) });
    const { code, stdout, stderr } = await runCli(["validate"], { cwd });
    expect(stdout + stderr).toContain(message);
    expect(code).toBe(1);
  });

  it.each([
    "assert: [{ type: recovers_from, tool: book_table, when: { turns: 3 } }]",
    "assert: [{ any_of: [{ type: recovers_from, tool: book_table }, { type: turns, max: 9 }] }]",
    "on_tool_error: continue, assert: [{ type: recovers_from, tool: book_table }]",
    "on_tool_error: { nudge: true }, assert: [{ type: recovers_from, tool: book_table }]",
  ])("has nothing against %s under a suite that ends at a tool error", async (written) => {
    const suites = `  - name: s\n${tools}    on_tool_error: fail\n    tests: [{ name: t, input: go, ${written} }]`;
    const cwd = makeProject({ "kindlm.yaml": scriptedConfig({ suites }) });
    const { code, stderr } = await runCli(["validate"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

/** The same agent in no provider's language. */
function answer({ userTexts, toolResults }: NeutralRequest): NeutralAnswer {
  const call = { text: "", toolCalls: [{ tool: "book_table", args: { at: "20:00" } }] };
  const say = (text: string): NeutralAnswer => ({ text, toolCalls: [] });
  if (toolResults.length === 0) return call;
  if (userTexts.length === 1) return say("That did not work.");
  return toolResults.length === 1 ? call : say(`booked, told: ${userTexts.join(" / ")}`);
}

describe("a nudge", () => {
  it.each(everyFake)("reaches a model of %s as a message of the user", async (_, fake) => {
    const server = await startServer(({ path: url, headers: sent, body: text }, response) => {
      expect(text).not.toContain("isNudge");
      const { headers, body } = fake.reply(answer(fake.read({ url, headers: sent, body: text })), false);
      response.writeHead(200, headers);
      response.end(body);
    });
    onTestFinished(() => server.close());
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
providers: { under-test: ${JSON.stringify(fake.config(server.url))} }
models: [{ id: main, provider: under-test, model: the-model, params: { max_tokens: 500 } }]
suites:
  - name: tables
${tools}    tests:
      - name: t
        input: A table please
        on_tool_error: { nudge: "{{error}}; do it again" }
        assert: [{ type: equals, value: "booked, told: A table please / upstream timed out; do it again" }]
`,
    });
    const { code, stdout } = await runCli(["test"], { cwd, env: fake.env });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("passed — after 1 nudge") as string,
    });
    expect(server.requests).toHaveLength(4);
  });
});

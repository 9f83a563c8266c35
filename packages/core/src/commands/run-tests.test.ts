import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { scriptedConfig } from "../__fixtures__/scripted-config.js";
import { shortenDeadlines } from "../__fixtures__/shorten-deadlines.js";
import { runTests } from "./run-tests.js";
import { runConfig, type Ran } from "./__fixtures__/run-config.js";

const weather = `
    tools: [{ name: get_weather, parameters: { type: object, properties: { city: { type: string } }, required: [city] }, attributes: { no_effect: true }, default: { return: "Sunny in {{args.city}}" } }]`;

describe("runTests", () => {
  it("runs a tool loop to its end and keeps the whole transcript", async () => {
    const { statuses, trials } = await runConfig({
      rules: `[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: get_weather, args: { city: Bonn } }, { tool: get_weather, args: { city: Kyiv } }] } }]`,
      otherwise: `{ text: "{{last_tool_result}}" }`,
      suites: `  - name: s${weather}
    system_prompt: "Be brief, {{who}}"
    vars: { who: please }
    tests:
      - name: t
        input: "Weather?"
        assert: [{ type: equals, value: Sunny in Kyiv }, { type: turns, max: 2 }]`,
    });
    expect(statuses).toEqual({ "s/t@m": "passed" });
    expect(trials[0]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(trials[0]?.toolCalls.map(({ args, result, turn }) => [args, result, turn])).toEqual([
      [{ city: "Bonn" }, "Sunny in Bonn", 1],
      [{ city: "Kyiv" }, "Sunny in Kyiv", 1],
    ]);
  });

  it("distinguishes failed from errored from skipped, and goes on after each", async () => {
    const { statuses, result } = await runConfig({
      rules: `[{ when: { user: boom }, reply: { error: { status: 400, body: { error: { message: bad } } } } }]`,
      suites: `  - name: s
    tests:
      - { name: good, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: bad, input: hi, assert: [{ type: contains, value: bye }] }
      - { name: broken, input: boom, assert: [{ type: contains, value: hello }] }
      - { name: later, input: hi, skip: not yet, assert: [{ type: contains, value: hello }] }`,
    });
    expect(statuses).toEqual({
      "s/good@m": "passed",
      "s/bad@m": "failed",
      "s/broken@m": "errored",
      "s/later@m": "skipped",
    });
    expect(result.summary).toMatchObject({ total: 4, passed: 1, failed: 1, errored: 1, skipped: 1, passRate: 0.5 });
    expect(result).toMatchObject({ verdict: "failed", exitCode: 1, reasons: ["1 test failed", "1 test errored"] });
  });

  it("retries a rate limit and counts requests and retries", async () => {
    const clock = createManualClock({ jump: true });
    const { result, events } = await runConfig(
      {
        rules: `[{ when: { attempt: 1 }, reply: { error: { status: 429, retry_after: 7s } } }]`,
        suites: `  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }`,
      },
      {},
      { clock },
    );
    expect(result.summary).toMatchObject({ passed: 1, requests: 2, retries: 1 });
    expect(clock.sleeps).toContain(7_000);
    expect(events.map(({ type }) => type)).toEqual([
      "run:start",
      "suite:start",
      "trial:start",
      "turn:start",
      "attempt:start",
      "attempt:end",
      "limiter",
      "retry:start",
      "retry:end",
      "attempt:start",
      "attempt:end",
      "turn:end",
      "evaluation",
      "assertion",
      "trial:end",
      "case:end",
      "suite:end",
      "run:end",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ concurrency: 8, maxCostUsd: null });
    const wait = { model: "m", attempt: 1, retry: 1, retries: 2, waitMs: 7_000 };
    expect(events.find(({ type }) => type === "retry:start")).toMatchObject(wait);
  });

  it.each([
    ["max_turns", `limits: { max_turns: 3 }`, "ENGINE_MAX_TURNS", 3],
    ["max_tool_calls", `limits: { max_tool_calls: 2 }`, "ENGINE_BUDGET_EXCEEDED", 3],
  ])("stops an agent that goes round in circles at %s", async (_name, more, code, requests) => {
    const { result, trials } = await runConfig({
      otherwise: `{ tool_calls: [{ tool: get_weather, args: { city: Bonn } }] }`,
      more,
      suites: `  - name: s${weather}
    tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }]`,
    });
    expect(trials[0]).toMatchObject({ status: "errored", error: { code } });
    expect(result.summary).toMatchObject({ errored: 1, requests, passRate: 0 });
  });

  it.each([
    ["no text", `{ text: "" }`, "errored"],
    ["whitespace", `{ text: "  " }`, "errored"],
    ["a refusal", `{ text: "", finish_reason: refusal }`, "passed"],
    ["a filtered answer", `{ text: "", finish_reason: content_filter }`, "passed"],
  ])("takes %s for what it is", async (_name, otherwise, status) => {
    const { trials } = await runConfig({
      otherwise,
      suites: `  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: not_contains, value: x }] }] }`,
    });
    expect(trials[0]?.status).toBe(status);
    if (status === "errored") expect(trials[0]?.error?.code).toBe("ENGINE_EMPTY_RESPONSE");
  });

  it("needs as many passes as the test says", async () => {
    const { result } = await runConfig({
      rules: `[{ when: { user: hi }, choose: [{ weight: 1, reply: { text: hello } }, { weight: 1, reply: { text: bye } }] }]`,
      more: "defaults: { seed: 4 }",
      suites: `  - name: s
    tests:
      - { name: some, input: hi, runs: 20, pass: 1/20, assert: [{ type: contains, value: hello }] }
      - { name: all, input: hi, runs: 20, assert: [{ type: contains, value: hello }] }`,
    });
    expect(result.suites[0]?.tests).toMatchObject([
      { status: "passed", required: 1, runs: 20, mixed: true },
      { status: "failed", required: 20, mixed: true },
    ]);
  });

  it("gives the same verdicts at any concurrency, and again for the same seed", async () => {
    const config = {
      rules: `[{ when: { user: hi }, choose: [{ weight: 1, reply: { text: hello } }, { weight: 1, reply: { text: bye } }] }]`,
      suites: `  - name: s
    tests:
      - { name: t, input: hi, runs: 3, rows: [{ id: a }, { id: b }, { id: c }, { id: d }, { id: e }, { id: f }], assert: [{ type: contains, value: hello }] }`,
    };
    const shape = ({ result, trials }: Ran) => ({
      tests: result.suites
        .flatMap((suite) => suite.tests)
        .map((test) => [test.id, test.status, "passes" in test && test.passes]),
      outputs: trials.map(({ caseId, trial, output }) => [caseId, trial, output]),
    });
    const one = shape(await runConfig(config, { concurrency: 1 }));
    expect(shape(await runConfig(config, { concurrency: 50 }))).toEqual(one);
    expect(shape(await runConfig(config, { seed: 99 }))).not.toEqual(one);
  });

  it("keeps what was said out of the results, and reports at the end of a case what its decisive trial found", async () => {
    const { result, events, trials } = await runConfig({
      otherwise: `{ text: "a long answer" }`,
      suites: `  - { name: s, tests: [{ name: t, input: hi, runs: 3, assert: [{ type: contains, value: hello }] }] }`,
    });
    const [test] = result.suites[0]?.tests ?? [];
    expect(test).toMatchObject({ status: "failed", decisiveTrial: 1 });
    expect(trials.map(({ output }) => output)).toEqual(Array.from({ length: 3 }, () => "a long answer"));
    expect(JSON.stringify(result.suites)).not.toContain("long answer");
    const ended = events.find(({ type }) => type === "case:end");
    expect(ended).toMatchObject({ result: test, assertions: trials[0]?.assertions });
    expect(trials[0]?.assertions).toMatchObject([{ type: "contains", pass: false }]);
  });

  it("evaluates each user turn of a conversation by itself", async () => {
    const { statuses, trials } = await runConfig({
      rules: `[{ when: { user: "yes", last_tool_result: ok }, reply: { text: done } }, { when: { user: "yes" }, reply: { tool_calls: [{ tool: cancel, args: {} }] } }]`,
      otherwise: `{ text: "Are you sure?" }`,
      suites: `  - name: s
    tools: [{ name: cancel, default: { return: ok } }]
    tests:
      - name: asks
        conversation:
          - { user: cancel, assert: [{ type: tool_not_called, tool: cancel }, { type: contains, value: "?" }] }
          - { user: "yes", assert: [{ type: tool_called, tool: cancel }] }
      - name: wrong
        conversation:
          - { user: cancel, assert: [{ type: tool_called, tool: cancel }] }
          - { user: "yes" }`,
    });
    expect(statuses).toEqual({ "s/asks@m": "passed", "s/wrong@m": "failed" });
    expect(trials[0]?.assertions.map(({ userTurn }) => userTurn)).toEqual([1, 1, 2]);
  });

  it("fills placeholders in the conditions of simulated tools, row by row", async () => {
    const { statuses } = await runConfig({
      rules: `[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: find, args: { id: b } }] } }]`,
      otherwise: `{ text: "{{last_tool_result}}" }`,
      suites: `  - name: s
    tools: [{ name: find, responses: [{ when: { id: "{{wanted}}" }, return: "found {{args.id}}" }], default: { return: nothing } }]
    tests:
      - { name: t, input: hi, rows: [{ id: one, wanted: a, answer: nothing }, { id: two, wanted: b, answer: found b }], assert: [{ type: equals, value: "{{answer}}" }] }`,
    });
    expect(statuses).toEqual({ "s/t[one]@m": "passed", "s/t[two]@m": "passed" });
  });

  it("does not blame the agent for a condition of a simulated tool that cannot be told", async () => {
    shortenDeadlines();
    const { trials } = await runConfig({
      rules: `[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: find, args: { id: "${"a".repeat(40)}!" } }] } }]`,
      suites: `  - name: s
    tools: [{ name: find, responses: [{ when: { id: { $regex: "^(a+)+$" } }, return: found }], default: { return: nothing } }]
    tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }]`,
    });
    expect(trials[0]).toMatchObject({ status: "errored", error: { code: "ENGINE_FIXTURE_ERROR" } });
    expect(trials[0]?.error?.message).toMatch(/simulated tool "find" cannot be matched/);
  });

  it.each([
    ["4/5", undefined, 4],
    ["7/25", undefined, 7],
    ["4/5", 3, 3],
    ["4/5", 10, 8],
    ["1/5", 2, 1],
  ])("asks %s with --runs %s for %i passes", async (pass, runs, required) => {
    const { result } = await runConfig(
      {
        suites: `  - { name: s, tests: [{ name: t, input: hi, pass: ${pass}, assert: [{ type: contains, value: hello }] }] }`,
      },
      runs === undefined ? {} : { runs },
    );
    expect(result.suites[0]?.tests[0]).toMatchObject({ required });
  });

  it("shows the last trial of a case that passed, and takes no latency from requests that were not answered", async () => {
    const clock = createManualClock({ jump: true });
    const suites = `  - name: s
    tests:
      - { name: t, input: hi, runs: 3, assert: [{ type: contains, value: hello }] }
      - { name: e, input: slow, runs: 3, assert: [{ type: contains, value: hello }] }`;
    const rules = "[{ when: { user: slow }, reply: { delay: 300ms, error: { status: 400 } } }]";
    // One by one, since the clock of a trial would jump for all that run at the same time.
    const { result } = await runConfig({ rules, suites }, { concurrency: 1 }, { clock });
    expect(clock.sleeps.filter((ms) => ms === 300)).toHaveLength(3);
    expect(result.suites[0]?.tests).toMatchObject([
      { status: "passed", decisiveTrial: 3 },
      { status: "errored", decisiveTrial: 1 },
    ]);
    expect(result.summary.latencyMs?.p95).toBeLessThan(300);
  });

  it("errs on the side of errored when an assertion cannot be evaluated", async () => {
    shortenDeadlines();
    const { trials } = await runConfig({
      otherwise: `{ text: "hello${"h".repeat(60)}!" }`,
      suites: `  - name: s
    tests:
      - { name: unknown, input: hi, assert: [{ type: contains, value: hello }, { type: matches, value: "(h+)+$" }] }
      - { name: failed, input: hi, assert: [{ type: contains, value: bye }, { type: matches, value: "(h+)+$" }] }`,
    });
    expect(trials).toMatchObject([
      { status: "errored", error: { code: "ASSERTION_EVAL_ERROR" } },
      { status: "failed", error: null },
    ]);
    expect(trials[0]?.assertions).toMatchObject([
      { pass: true },
      { pass: false, error: { code: "ASSERTION_EVAL_ERROR" } },
    ]);
  });

  it("survives a listener that throws", async () => {
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        suites: `  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }`,
      }),
    });
    const onEvent = (): void => {
      throw new Error("broken");
    };
    const ran = await runTests({}, { env: {}, cwd, onEvent });
    expect(ran.success && ran.data.verdict).toBe("passed");
  });
});

import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { scriptedConfig, type ScriptedConfig } from "../__fixtures__/scripted-config.js";
import type { RunEvent } from "../engine/run-event.js";
import type { RunResult, TrialResult } from "../engine/run-result.js";
import type { Environment } from "../run/environment.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { listCases } from "./list-cases.js";
import { runTests } from "./run-tests.js";

interface Ran {
  result: RunResult;
  events: readonly RunEvent[];
  /** Status by case id. */
  statuses: Readonly<Record<string, string>>;
  trials: readonly TrialResult[];
}

async function runConfig(
  config: ScriptedConfig,
  options: Partial<RunTestsOptions> = {},
  environment: Partial<Environment> = {},
): Promise<Ran> {
  const cwd = makeProject({ "kindlm.yaml": scriptedConfig(config) });
  const events: RunEvent[] = [];
  const ran = await runTests({ paths: [], ...options }, { env: {}, cwd, ...environment }, (event) =>
    events.push(event),
  );
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const tests = ran.data.suites.flatMap((suite) => suite.tests);
  return {
    result: ran.data,
    events,
    statuses: Object.fromEntries(tests.map((test) => [test.id, test.status])),
    trials: await collect(ran.data.trials()),
  };
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

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

  it("tells failed from errored from skipped, and goes on after each", async () => {
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
      "assertion",
      "trial:end",
      "case:end",
      "suite:end",
      "run:end",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
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

  it("keeps what was said out of the results, and tells at the end of a case what its decisive trial found", async () => {
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
    const { trials } = await runConfig({
      rules: `[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: find, args: { id: "${"a".repeat(40)}!" } }] } }]`,
      suites: `  - name: s
    tools: [{ name: find, responses: [{ when: { id: { $regex: "^(a+)+$" } }, return: found }], default: { return: nothing } }]
    tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }]`,
    });
    expect(trials[0]).toMatchObject({ status: "errored", error: { code: "ENGINE_FIXTURE_ERROR" } });
    expect(trials[0]?.error?.message).toMatch(/simulated tool "find" cannot be matched/);
  });

  it("crosses models, rows and prompts, and names each case by them", async () => {
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models:
  - { id: a, provider: scripted, script: { rules: [{ when: { system: { $contains: polite } }, reply: { text: "please {{user}}" } }], otherwise: { text: "{{user}}" } } }
  - { id: b, provider: scripted, script: { otherwise: { text: nothing } } }
suites:
  - name: s
    prompts: [{ id: polite, system_prompt: Be polite }, { id: plain, system_prompt: Be plain }]
    tests:
      - { name: t, input: "{{word}}", rows: [{ id: one, word: red }, { word: blue }], assert: [{ type: contains, value: "{{word}}" }] }
`,
    });
    const listed = await listCases({ paths: [] }, { env: {}, cwd });
    const ids = listed.success ? listed.data.cases.map(({ id }) => id) : [];
    expect(ids).toHaveLength(8);
    expect(ids.slice(0, 2)).toEqual(["s/t[one]@a#polite", "s/t[one]@a#plain"]);
    const ran = await runTests(
      { paths: [], filters: { models: ["a"], tests: ["/#p(olite|lain)$/"], exclude: ["[one]"] } },
      { env: {}, cwd },
    );
    expect(ran.success && ran.data.summary).toMatchObject({ total: 2, passed: 2 });
  });

  it("refuses a pattern that matches no case beside others that do", async () => {
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        suites: "  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }",
      }),
    });
    const runWith = (...tests: string[]) => runTests({ paths: [], filters: { tests } }, { env: {}, cwd });
    expect(await runWith("s/t", "s/typo", "/^x/")).toMatchObject({
      success: false,
      error: { code: "CONFIG_VALIDATION_ERROR", message: 'No case matches "s/typo", "/^x/"' },
    });
    expect(await runWith("s/t", "@")).toMatchObject({ success: true, data: { summary: { total: 1 } } });
  });

  it.each([
    [{ suites: ["nope"] }, 'There is no suite "nope"'],
    [{ tags: ["smok"] }, 'There is no tag "smok"'],
    [{ models: ["x"] }, 'There is no model "x"'],
    [{ tests: ["/(/"] }, "The pattern /(/ is no regular expression"],
  ])("refuses the filter %j", async (filters, message) => {
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        suites: `  - { name: s, tags: [smoke], tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }`,
      }),
    });
    const ran = await runTests({ paths: [], filters }, { env: {}, cwd });
    expect(!ran.success && ran.error.message).toContain(message);
  });

  it("is no pass when a filter leaves nothing", async () => {
    const { result } = await runConfig(
      { suites: `  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }` },
      { filters: { tests: ["zzz"] } },
    );
    expect(result).toMatchObject({
      verdict: "failed",
      exitCode: 1,
      reasons: ["no test ran: no case matches the filters (kindlm test --list shows all)"],
    });
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

  it("counts the cases of a broken suite: by model, one that does not exist too, by row and by prompt", async () => {
    const { result } = await runConfig({
      suites: `  - { name: ok, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }
  - name: b
    prompts: [{ id: p, system_prompt: a }, { id: q, system_prompt_file: none.md }]
    tests:
      - { name: rows, input: "{{c}}", rows: [{ id: x, c: 1 }, { id: y, c: 2 }], assert: [{ type: contains, value: hi }] }
      - { name: unread, input: "{{c}}", dataset: none.csv, models: [m, gone], assert: [{ type: contains, value: hi }] }`,
    });
    expect(result.suites[1]?.tests.map((test) => [test.id, test.prompt])).toEqual([
      ["b/rows[x]@m#p", "p"],
      ["b/rows[x]@m#q", "q"],
      ["b/rows[y]@m#p", "p"],
      ["b/rows[y]@m#q", "q"],
      ["b/unread@m#p", "p"],
      ["b/unread@m#q", "q"],
      ["b/unread@gone#p", "p"],
      ["b/unread@gone#q", "q"],
    ]);
    expect(result.summary).toMatchObject({ total: 9, passed: 1, skipped: 8 });
  });

  it("shows the last trial of a case that passed, and takes no latency from requests that were not answered", async () => {
    const { result } = await runConfig({
      rules: "[{ when: { user: slow }, reply: { delay: 300ms, error: { status: 400 } } }]",
      suites: `  - name: s
    tests:
      - { name: t, input: hi, runs: 3, assert: [{ type: contains, value: hello }] }
      - { name: e, input: slow, runs: 3, assert: [{ type: contains, value: hello }] }`,
    });
    expect(result.suites[0]?.tests).toMatchObject([
      { status: "passed", decisiveTrial: 3 },
      { status: "errored", decisiveTrial: 1 },
    ]);
    expect(result.summary.latencyMs?.p95).toBeLessThan(300);
  });

  it.each([
    ["test", "{ name: t, timeouts: { request: 20ms }", "", "timeouts: { request: 1h }"],
    ["suite", "{ name: t", "timeouts: { request: 20ms }", "timeouts: { request: 1h }"],
    ["top level", "{ name: t", "", "timeouts: { request: 20ms }"],
  ])("finds a deadline at the %s", async (_level, test, suite, more) => {
    const { trials } = await runConfig({
      otherwise: "{ hang: true }",
      more: `${more}\nretry: disabled`,
      suites: `  - name: s\n    ${suite}\n    tests: [${test}, input: hi, assert: [{ type: contains, value: hello }] }]`,
    });
    expect(trials[0]?.error?.message).toBe("Scripted model request timed out after 20ms");
  });

  it("finds a deadline at the test before that of the model, and that of the model before the top level", async () => {
    const model = (timeouts: string): string =>
      `{ id: m, provider: scripted, script: { otherwise: { hang: true } }, timeouts: ${timeouts} }`;
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models: [${model("{ request: 30ms }")}]
timeouts: { request: 1h }
retry: disabled
suites:
  - name: s
    tests:
      - { name: model, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: test, input: hi, timeouts: { request: 20ms }, assert: [{ type: contains, value: hello }] }
`,
    });
    const ran = await runTests({ paths: [] }, { env: {}, cwd });
    if (!ran.success) throw new Error(ran.error.message);
    expect(ran.data.suites[0]?.tests.map((test) => "error" in test && test.error?.message)).toEqual([
      "Scripted model request timed out after 30ms",
      "Scripted model request timed out after 20ms",
    ]);
  });

  it("ends a trial at its deadline, and the tool call in it", async () => {
    const { trials } = await runConfig({
      rules: `[{ when: { turn: 1 }, reply: { tool_calls: [{ tool: slow, args: {} }] } }]`,
      more: "timeouts: { trial: 50ms }",
      suites: `  - name: s
    tools: [{ name: slow, responses: [{ delay: 1h, return: 1 }] }]
    tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }]`,
    });
    expect(trials[0]).toMatchObject({ status: "errored", error: { code: "ENGINE_TIMEOUT" } });
    expect(trials[0]?.toolCalls[0]?.error?.errorType).toBe("aborted");
  });

  it("ends a request at its deadline with a provider timeout", async () => {
    const { trials } = await runConfig({
      otherwise: "{ hang: true }",
      more: "timeouts: { request: 30ms }\nretry: disabled",
      suites: `  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }`,
    });
    expect(trials[0]).toMatchObject({ status: "errored", error: { code: "PROVIDER_TIMEOUT" }, attempts: 1 });
  });

  it("stops at the run's own deadline: the undecided are errored, the unstarted skipped", async () => {
    const { result } = await runConfig(
      {
        otherwise: "{ hang: true }",
        more: "timeouts: { run: 50ms }",
        suites: `  - { name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: hello }] }, { name: b, input: hi, assert: [{ type: contains, value: hello }] }] }`,
      },
      { concurrency: 1 },
    );
    expect(result.suites[0]?.tests).toMatchObject([
      { status: "errored", error: { code: "ENGINE_TIMEOUT" } },
      { status: "skipped", reason: "The run took longer than 50 ms" },
    ]);
  });

  it("stops when it is interrupted and says what was not decided", async () => {
    const controller = new AbortController();
    const cwd = makeProject({
      "kindlm.yaml": scriptedConfig({
        rules: `[{ when: { user: wait }, reply: { hang: true } }]`,
        suites: `  - { name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: hello }] }, { name: b, input: wait, assert: [{ type: contains, value: hello }] }, { name: c, input: hi, assert: [{ type: contains, value: hello }] }] }`,
      }),
    });
    const ran = await runTests({ paths: [], concurrency: 1 }, { env: {}, cwd, signal: controller.signal }, (event) => {
      if (event.type === "attempt:start" && event.caseId === "s/b@m") controller.abort();
    });
    if (!ran.success) throw new Error(ran.error.message);
    expect(ran.data.suites[0]?.tests).toMatchObject([
      { status: "passed" },
      { status: "errored", error: { code: "ENGINE_ABORTED" } },
      { status: "skipped", reason: "interrupted" },
    ]);
    expect(ran.data).toMatchObject({ exitCode: 1, run: { interrupted: true } });
  });

  it.each(["a back-off", "a pause of the whole model"])(
    "ends in the middle of %s without waiting for it",
    async (kind) => {
      const controller = new AbortController();
      // Time stands still, so that nothing can end but by the interruption.
      const clock = createManualClock();
      const reply = kind === "a back-off" ? "{ status: 503 }" : "{ status: 429, retry_after: 50s }";
      const cwd = makeProject({
        "kindlm.yaml": scriptedConfig({
          otherwise: `{ error: ${reply} }`,
          suites: `  - { name: s, tests: [{ name: a, runs: 6, input: hi, assert: [{ type: contains, value: hello }] }] }`,
        }),
      });
      const environment = { env: {}, cwd, clock, signal: controller.signal };
      let interruptedAt = 0;
      const ran = await runTests({ paths: [], concurrency: 2 }, environment, (event) => {
        if (event.type !== "retry:start" || event.trial !== 2) return;
        interruptedAt = performance.now();
        setImmediate(() => controller.abort());
      });
      expect(performance.now() - interruptedAt).toBeLessThan(2_000);
      expect(ran).toMatchObject({ success: true, data: { exitCode: 1, run: { interrupted: true } } });
      expect(clock.monotonic()).toBe(0);
    },
  );

  it("stops dispatching at --bail and at max_cost", async () => {
    const suites = `  - { name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: bye }] }, { name: b, input: hi, assert: [{ type: contains, value: hello }] }] }`;
    const bailed = await runConfig({ suites }, { bail: 1, concurrency: 1 });
    expect(bailed.statuses).toEqual({ "s/a@m": "failed", "s/b@m": "skipped" });
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, pricing: { input: 1000000, output: 0 }, script: { otherwise: { text: hello, usage: { input_tokens: 2, output_tokens: 1 } } } }]
limits: { max_cost: 1.5 }
suites:
${suites}`,
    });
    const ran = await runTests({ paths: [], concurrency: 1 }, { env: {}, cwd });
    expect(ran.success && ran.data.suites[0]?.tests).toMatchObject([
      { status: "failed", costUsd: 2 },
      { status: "skipped", reason: "max_cost of $1.5 is spent" },
    ]);
  });

  it("leaves nothing out where --bail and max_cost are reached by the last case", async () => {
    const suites = `  - { name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: bye }] }] }`;
    const bailed = await runConfig({ suites }, { bail: 1 });
    expect(bailed.result.reasons).toEqual(["1 test failed"]);
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, pricing: { input: 1000000, output: 0 }, script: { otherwise: { text: bye, usage: { input_tokens: 2, output_tokens: 1 } } } }]
limits: { max_cost: 1.5 }
suites:
${suites}`,
    });
    const ran = await runTests({ paths: [] }, { env: {}, cwd });
    expect(ran).toMatchObject({
      success: true,
      data: { exitCode: 0, reasons: [], summary: { passed: 1, costUsd: 2 } },
    });
  });

  it("skips a broken suite with its error and runs the others", async () => {
    const { result, statuses } = await runConfig({
      suites: `  - { name: a, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }] }
  - { name: b, system_prompt_file: prompts/missing.txt, tests: [{ name: t1, input: hi, assert: [{ type: contains, value: hello }] }, { name: t2, input: hi, assert: [{ type: contains, value: hello }] }] }`,
    });
    expect(statuses).toEqual({ "a/t@m": "passed", "b/t1@m": "skipped", "b/t2@m": "skipped" });
    expect(result.suites[1]).toMatchObject({ status: "skipped", error: { code: "CONFIG_FILE_REF_ERROR" } });
    expect(result).toMatchObject({ exitCode: 1, reasons: ["1 suite could not run"] });
  });

  it("errs on the side of errored when an assertion cannot be evaluated", async () => {
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
    const ran = await runTests({ paths: [] }, { env: {}, cwd }, () => {
      throw new Error("broken");
    });
    expect(ran.success && ran.data.verdict).toBe("passed");
  });
});

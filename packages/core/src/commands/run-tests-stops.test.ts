import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { scriptedConfig } from "../__fixtures__/scripted-config.js";
import type { RunEvent } from "../engine/run-event.js";
import { runTests } from "./run-tests.js";
import { runConfig } from "./__fixtures__/run-config.js";

describe("what ends trials and runs early", () => {
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
    const onEvent = (event: RunEvent): void => {
      if (event.type === "attempt:start" && event.caseId === "s/b@m") controller.abort();
    };
    const ran = await runTests({ concurrency: 1 }, { env: {}, cwd, signal: controller.signal, onEvent });
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
      let interruptedAt = 0;
      const onEvent = (event: RunEvent): void => {
        if (event.type !== "retry:start" || event.trial !== 2) return;
        interruptedAt = performance.now();
        setImmediate(() => controller.abort());
      };
      const environment = { env: {}, cwd, clock, signal: controller.signal, onEvent };
      const ran = await runTests({ concurrency: 2 }, environment);
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
      { status: "skipped", reason: "max_cost of $1.5 is used up" },
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
});

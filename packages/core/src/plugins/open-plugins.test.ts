import type { PlannedCase } from "../plan/run-plan.js";
import { describe, expect, it } from "vitest";
import { sampleRun } from "../__fixtures__/sample-run.js";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { findingOn } from "../config/source/finding.js";
import { createMemoryTrialStore } from "../engine/memory-trial-store.js";
import type { RunEvent, RunEventBody } from "../engine/run-event.js";
import type { TrialResult } from "../engine/run-result.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { moduleFailure } from "../modules/module-failure.js";
import { createRedactor } from "../redaction/redactor.js";
import { success } from "../result.js";
import type { CallAudit } from "../tools/tool-handler.js";
import type { LoadPlugin } from "./create-plugin-loader.js";
import type { Plugin } from "./define-plugin.js";
import { openPlugins } from "./open-plugins.js";
import { pluginOf } from "./run-plugin.js";

/** The store that is used here looks at the trial alone. */
const planned = {} as PlannedCase;

const ref = { suite: "s", caseId: "s/t@m", trial: 1 };
const secret = "sk-canary-0123456789abcdef";

/** A plugin that is called in this thread, as the worker calls one. */
function written(exported: unknown): Awaited<ReturnType<LoadPlugin>> {
  const plugin = pluginOf(exported);
  return plugin.success ? plugin : moduleFailure("unfit", plugin.error);
}

/** The plugins of a run, with 5 s each. */
async function opened(plugins: readonly unknown[], more: { signal?: AbortSignal; options?: unknown } = {}) {
  const clock = createManualClock();
  const events: RunEventBody[] = [];
  const entries = plugins.map((_, index) => ({
    written: `./p${index}.mjs`,
    file: `/p${index}.mjs`,
    exportName: String(index),
    options: more.options ?? null,
    timeoutMs: 5_000,
    findingOf: (text: Parameters<typeof findingOn>[2]) => findingOn("kindlm.yaml", 0, text),
  }));
  const host = await openPlugins(
    { plugins: entries },
    {
      clock,
      runId: "run-1",
      loadPlugin: async ({ exportName }) => written(plugins[Number(exportName)]),
      redact: createRedactor([secret]).redact,
      signal: more.signal ?? null,
      emit: (event) => events.push(event),
    },
  );
  if (!host.success) throw new Error(host.error.message);
  const said = (): string[] => events.flatMap((event) => (event.type === "error" ? [event.message] : []));
  return { ...host.data, clock, said };
}

async function callTool(
  host: Awaited<ReturnType<typeof opened>>,
  args: unknown = {},
  signal = new AbortController().signal,
) {
  const audit: CallAudit = {};
  const hooks = host.toolHooks?.(ref, null);
  const call = { id: "c1", tool: "pay", args };
  const before = (await hooks?.before(call, signal, audit)) ?? null;
  const after = before === null ? ((await hooks?.after(call, { ok: true, value: 1 }, signal, audit)) ?? null) : null;
  return { before, after, audit };
}

/** Lets everything that has been set off come to where it waits for time. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const trial = (number: number): TrialResult => ({
  caseId: "s/t@m",
  trial: number,
  status: "passed",
  error: null,
  output: `the key is ${secret}`,
  latencyMs: 0,
  durationMs: 0,
  costUsd: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  attempts: 1,
  unpricedRequests: 0,
  servedBy: null,
  fallback: null,
  finishReason: "stop",
  turns: [],
  toolCalls: [],
  messages: [],
  assertions: [],
});

describe("tool hooks", () => {
  it("are asked in order, until one decides", async () => {
    const asked: string[] = [];
    const named = (name: string, answer: unknown): unknown => ({
      name,
      preToolUse: () => {
        asked.push(name);
        return answer;
      },
    });
    const deny = { decision: "deny", reason: "no payments" };
    const host = await opened([
      named("a", undefined),
      named("b", { decision: "allow" }),
      named("c", deny),
      named("d", deny),
    ]);
    expect(await callTool(host)).toEqual({
      before: {
        plugin: "c",
        outcome: { ok: false, failure: { errorType: "logical", message: "no payments", retryable: false } },
        isDenial: true,
      },
      after: null,
      audit: { hook: { plugin: "c", hook: "preToolUse", decision: "deny", reason: "no payments" } },
    });
    expect(asked).toEqual(["a", "b", "c"]);
  });

  it.each([
    [["allow"], { plugin: "0", says: "allow", reason: null }],
    [["allow", "ask", "ask"], { plugin: "1", says: "ask", reason: null }],
    [["ask", "allow"], { plugin: "0", says: "ask", reason: null }],
    [["ask", "deny"], { plugin: "1", isDenial: true }],
  ])("which say %j decide the strictest", async (decisions, expected) => {
    const host = await opened(
      decisions.map((decision, index) => ({ name: String(index), preToolUse: () => ({ decision }) })),
    );
    expect((await callTool(host)).before).toMatchObject(expected);
  });

  it("keep what the tool itself returned, where they put something else there", async () => {
    const host = await opened([{ name: "p", postToolUse: () => ({ replace: { ok: true, value: 2 } }) }]);
    expect(await callTool(host)).toEqual({
      before: null,
      after: { ok: true, value: 2 },
      audit: { hook: { plugin: "p", hook: "postToolUse", decision: "replace", reason: null, returned: 1 } },
    });
  });

  it("get copies without secrets, and their own options, state and trial", async () => {
    const seen: unknown[] = [];
    const plugin: Plugin<{ list: number[] }, { setUp: boolean }> = {
      name: "p",
      setup: async () => ({ setUp: true }),
      preToolUse(call, { signal, ...ctx }) {
        seen.push(call, ctx, signal.aborted, Object.isFrozen(ctx.options.list), Object.isFrozen(call.args));
      },
    };
    const args = { note: `it is ${secret}`, self: null as unknown };
    args.self = args;
    const host = await opened([plugin], { options: { list: [1], token: secret } });
    await callTool(host, args);
    expect(seen).toEqual([
      { id: "c1", tool: "pay", name: "pay", args: { note: "it is [redacted]", self: "[…]" } },
      { options: { list: [1], token: secret }, state: { setUp: true }, workspace: null, runId: "run-1", ...ref },
      false,
      true,
      true,
    ]);
    expect(host.said()).toEqual([]);
  });

  it("that fail are told of once, and switched off after three failures", async () => {
    let calls = 0;
    const broken = {
      name: "broken",
      preToolUse() {
        calls += 1;
        if (calls === 2) return Promise.reject(new Error("later"));
        if (calls === 3) return { decision: "maybe" };
        throw new Error("boom");
      },
    };
    const host = await opened([broken]);
    for (let call = 0; call < 5; call += 1) {
      expect(await callTool(host)).toEqual({ before: null, after: null, audit: {} });
    }
    expect(calls).toBe(3);
    const asking = 'preToolUse answered "maybe", which is not "allow", "deny", "ask" or "replace" as its decision';
    expect(host.said()).toEqual([
      'Plugin "broken": preToolUse threw: boom',
      `Plugin "broken": ${asking}; it is disabled for the rest of the run`,
    ]);
    expect(await host.finish(sampleRun([]))).toMatchObject([
      {
        severity: "warning",
        message: 'Plugin "broken": preToolUse threw: boom (3 times); it was disabled for the rest of the run',
        hint: "Calls continued without the plugin, including calls it would have denied",
      },
    ]);
  });

  it("that hang are left behind at their deadline, told by their signal, and asked no more", async () => {
    const signals: AbortSignal[] = [];
    let fail: (cause: Error) => void = () => undefined;
    const hanging: Plugin = {
      name: "hanging",
      postToolUse(_call, _outcome, { signal }) {
        signals.push(signal);
        return new Promise((_resolve, reject) => {
          fail = reject;
        });
      },
    };
    const host = await opened([hanging]);
    const called = callTool(host);
    await settled();
    host.clock.advance(4_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    host.clock.advance(1);
    expect(await called).toEqual({ before: null, after: null, audit: {} });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    fail(new Error("too late to be heard"));
    expect(await callTool(host)).toEqual({ before: null, after: null, audit: {} });
    expect(signals).toHaveLength(1);
    expect(host.said()).toEqual([
      'Plugin "hanging": postToolUse did not answer within 5 s; it is disabled for the rest of the run',
    ]);
  });

  it("end with the trial, which is no failure of theirs", async () => {
    const controller = new AbortController();
    const host = await opened([{ name: "p", preToolUse: () => new Promise(() => undefined) }]);
    const called = callTool(host, {}, controller.signal);
    await settled();
    controller.abort();
    expect(await called).toEqual({ before: null, after: null, audit: {} });
    expect(await callTool(host, {}, controller.signal)).toEqual({ before: null, after: null, audit: {} });
    expect(host.said()).toEqual([]);
  });

  it("cost nothing where no plugin has one", async () => {
    const host = await opened([{ name: "p", runEnded: () => undefined }]);
    expect([host.toolHooks, host.listener]).toEqual([null, null]);
    const store = createMemoryTrialStore();
    expect(host.watchTrials(store)).toBe(store);
  });
});

describe("observers", () => {
  it("are called one after the other, beside the trials, and all before the end", async () => {
    const seen: string[] = [];
    const release: (() => void)[] = [];
    const observing: Plugin = {
      name: "p",
      trialEnded: async ({ result }) => {
        seen.push(`start ${result.trial} ${result.output}`);
        await new Promise<void>((resolve) => release.push(resolve));
        seen.push(`end ${result.trial}`);
      },
      runEnded: ({ result }) => seen.push(`run ${result.verdict} ${"trials" in result}`),
    };
    const host = await opened([observing]);
    const store = host.watchTrials(createMemoryTrialStore());
    expect([store.append(trial(1), planned, "run"), store.append(trial(2), planned, "run")]).toEqual([
      success(undefined),
      success(undefined),
    ]);
    expect(seen).toEqual([]);
    const finished = host.finish(sampleRun([]));
    await settled();
    expect(seen).toEqual(["start 1 the key is [redacted]"]);
    release[0]?.();
    await settled();
    release[1]?.();
    expect(await finished).toEqual([]);
    expect(seen).toEqual([
      "start 1 the key is [redacted]",
      "end 1",
      "start 2 the key is [redacted]",
      "end 2",
      "run passed false",
    ]);
  });

  it("change nothing of what they are told of", async () => {
    const meddling = {
      name: "meddler",
      trialEnded: ({ result }: { result: { status: string; toolCalls: unknown[] } }) => {
        expect(() => result.toolCalls.push(1)).toThrow(TypeError);
        result.status = "failed";
      },
    };
    const host = await opened([meddling]);
    const mine = trial(1);
    const before = structuredClone(mine);
    void host.watchTrials(createMemoryTrialStore()).append(mine, planned, "run");
    const [warning] = await host.finish(sampleRun([]));
    expect(warning?.message).toMatch(
      /^Plugin "meddler": trialEnded threw: Cannot assign to read only property 'status'/,
    );
    expect(mine).toEqual(before);
  });

  it("that hang hold the end up no longer than a call may take, and runEnded is called all the same", async () => {
    const seen: string[] = [];
    const host = await opened([
      { name: "p", trialEnded: () => new Promise(() => undefined), runEnded: () => seen.push("run") },
    ]);
    const store = host.watchTrials(createMemoryTrialStore());
    void store.append(trial(1), planned, "run");
    void store.append(trial(2), planned, "run");
    await settled();
    const finished = host.finish(sampleRun([]));
    await settled();
    host.clock.advance(5_000);
    const warnings = await finished;
    expect(seen).toEqual(["run"]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'Plugin "p": trialEnded did not answer within 5 s; it was disabled for the rest of the run',
    ]);
  });

  it("that are too slow for all they are told are cut off, which is said", async () => {
    const host = await opened([
      { name: "slow", trialEnded: () => new Promise<void>((resolve) => void host.clock.after(4_000, resolve)) },
    ]);
    const store = host.watchTrials(createMemoryTrialStore());
    for (const number of [1, 2, 3]) void store.append(trial(number), planned, "run");
    await settled();
    const finished = host.finish(sampleRun([]));
    await settled();
    host.clock.advance(4_000);
    await settled();
    host.clock.advance(1_100);
    expect((await finished).map(({ message }) => message)).toEqual([
      'Plugin "slow": 2 calls of its observers did not finish before the run ended',
    ]);
  });

  it("get half a second after an interruption", async () => {
    const controller = new AbortController();
    const host = await opened([{ name: "p", runEnded: () => new Promise(() => undefined) }], controller);
    const finished = host.finish(sampleRun([]));
    await settled();
    controller.abort();
    host.clock.advance(499);
    const first = await Promise.race([finished, settled().then(() => "waits")]);
    host.clock.advance(1);
    expect([first, await finished]).toEqual(["waits", []]);
  });

  it("tell a simulated user's failures from the agent's, at the latest with the end of the trial", async () => {
    const seen: unknown[] = [];
    const providerFailed = ({ role, attempt, callFailed }: Record<string, unknown>): unknown =>
      seen.push([role, attempt, callFailed]);
    const host = await opened([{ name: "p", providerFailed }]);
    const error = kindlmError("PROVIDER_NETWORK_ERROR", "reset");
    const ofUser = { ...ref, turn: 1, role: "simulated_user" as const };
    const bodies: RunEventBody[] = [
      { channel: "monitor", type: "attempt:end", ...ofUser, attempt: 1, provider: "p", latencyMs: 1, error },
      { channel: "monitor", type: "attempt:start", ...ref, turn: 1, attempt: 1, provider: "p", model: "gpt" },
      { channel: "progress", type: "turn:end", ...ref, turn: 1, finishReason: "stop" },
      { channel: "monitor", type: "attempt:start", ...ofUser, attempt: 2, provider: "p", model: "gpt" },
      { channel: "monitor", type: "attempt:end", ...ofUser, attempt: 2, provider: "p", latencyMs: 1, error },
      { channel: "progress", type: "trial:end", ...ref, trial: 2, status: "passed", costUsd: 0 },
      { channel: "progress", type: "trial:end", ...ref, status: "errored", costUsd: 0 },
    ];
    const told: number[] = [];
    for (const body of bodies) {
      host.listener?.({ ...body, seq: 1, time: 0 });
      await settled();
      told.push(seen.length);
    }
    expect(seen).toEqual([
      ["simulated_user", 1, false],
      ["simulated_user", 2, true],
    ]);
    expect(told).toEqual([0, 0, 0, 1, 1, 1, 2]);
  });

  it("hear of each failed attempt with whether its call failed, and of each failed tool", async () => {
    const seen: unknown[] = [];
    const host = await opened([
      {
        name: "p",
        providerFailed: (ctx: Record<string, unknown>) =>
          seen.push([ctx["attempt"], ctx["callFailed"], ctx["failedAttempts"], ctx["failedCalls"]]),
        toolFailed: ({ tool, args, failure }: Record<string, unknown>) => seen.push([tool, args, failure]),
      },
    ]);
    const error = kindlmError("PROVIDER_NETWORK_ERROR", "reset");
    const stopped = kindlmError("ENGINE_ABORTED", "stopped");
    const turn = { ...ref, turn: 1 };
    const attempt = (number: number, failed: typeof error | typeof stopped | null): RunEventBody[] => [
      { channel: "monitor", type: "attempt:start", ...turn, attempt: number, provider: "openai", model: "gpt" },
      {
        channel: "monitor",
        type: "attempt:end",
        ...turn,
        attempt: number,
        provider: "openai",
        latencyMs: 1,
        error: failed,
      },
    ];
    const end: RunEventBody = { channel: "progress", type: "turn:end", ...turn, finishReason: null };
    const failure = { errorType: "runtime" as const, message: "broken", retryable: true };
    const failed: RunEventBody = {
      channel: "progress",
      type: "tool:error",
      ...ref,
      tool: "pay",
      callId: "c",
      args: { a: 1 },
      failure,
      call: { state: "FAILED" },
    };
    const bodies = [...attempt(1, error), ...attempt(2, error), end, ...attempt(1, error), ...attempt(2, null), end];
    [...bodies, ...attempt(1, stopped), end, failed].forEach((body, index) => {
      host.listener?.({ ...body, seq: index + 1, time: 0 } satisfies RunEvent);
    });
    await host.finish(sampleRun([]));
    expect(seen).toEqual([
      [1, false, 1, 0],
      [2, true, 2, 1],
      [1, false, 3, 1],
      ["pay", { a: 1 }, failure],
    ]);
  });
});

describe("setup", () => {
  it.each([
    [() => Promise.reject(new Error("no webhook")), 'Plugin "p": setup threw: no webhook'],
    [() => new Promise(() => undefined), 'Plugin "p": setup did not answer within 5 s'],
  ])("that fails keeps the run from starting", async (setup, message) => {
    const clock = createManualClock();
    const plugin = { name: "p", setup, runEnded: () => undefined };
    const entry = {
      written: "./p.mjs",
      file: "/p.mjs",
      exportName: "default",
      options: null,
      timeoutMs: 5_000,
      findingOf: (text: Parameters<typeof findingOn>[2]) => findingOn("kindlm.yaml", 0, text),
    };
    const opening = openPlugins(
      { plugins: [entry] },
      {
        clock,
        runId: "r",
        loadPlugin: async () => written(plugin),
        redact: (text) => text,
        signal: null,
        emit: () => undefined,
      },
    );
    await settled();
    clock.advance(5_000);
    expect(await opening).toMatchObject({ success: false, error: { code: "CONFIG_VALIDATION_ERROR", message } });
  });
});

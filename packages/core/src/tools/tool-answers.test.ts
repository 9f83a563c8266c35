import fc from "fast-check";
import type * as z from "zod";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { problemsOf } from "../schema-parts/parse-with.js";
import { canonicalJson } from "../values/canonical-json.js";
import type { ToolRuntimeSettings } from "./tool-runtime-settings.js";
import { createLateness, isLate } from "./call-lateness.js";
import { ToolRunner } from "./tool-runner.js";
import { fallbackSchema } from "./fallback-schema.js";
import { createLastValues } from "./last-values.js";
import type { OpenTool } from "./tool-config.js";
import type { HandlerOutcome, ToolHandler } from "./tool-handler.js";
import { toolSchema } from "./tool-schema.js";

const good = (value: unknown): HandlerOutcome => ({ ok: true, value });
const bad = (errorType: "runtime" | "logical" | "exception" | "aborted", message = "it is down"): HandlerOutcome => ({
  ok: false,
  failure: { errorType, message },
});

/** A real tool whose outcomes are given by its calls; what a handler throws is a runtime error. */
function realTool(fallback: unknown, execute: ToolHandler["execute"], more: Partial<OpenTool> = {}): OpenTool {
  return {
    kind: "open",
    name: "real",
    parameters: { type: "object" },
    attributes: { readonly: false, no_effect: false },
    recommendations: { runtime: ["Wait"] },
    timeoutMs: null,
    fallback: fallbackSchema.parse(fallback),
    createHandler: () => ({ execute }),
    ...more,
  };
}

function runtimeOf(tool: OpenTool, more: Partial<ToolRuntimeSettings> = {}) {
  const clock = createManualClock();
  const runtime = new ToolRunner({
    tools: [tool],
    style: "envelope",
    recommendations: null,
    timeoutMs: 1_000,
    clock,
    scope: { city: "Bonn" },
    ...more,
  });
  const controller = new AbortController();
  const call = (args: unknown = {}) => runtime.invoke({ id: "c", tool: "real", args }, { signal: controller.signal });
  return { call, clock, controller, runtime };
}

const down = async (): Promise<HandlerOutcome> => bad("runtime");

it("tells the tool that its time is over, also when that of the agent which calls it is", async () => {
  let { signal } = new AbortController();
  const hang: ToolHandler["execute"] = (_args, context) => {
    ({ signal } = context);
    return new Promise(() => undefined);
  };
  const { call, clock } = runtimeOf(realTool({ return: 1 }, hang));
  const called = call();
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_000);
  await called;
  expect([signal.aborted, isLate(signal)]).toEqual([true, true]);
  for (const reason of [createLateness(), undefined]) {
    const { call: callOfSubAgent, controller } = runtimeOf(realTool({ return: 1 }, hang));
    const interrupted = callOfSubAgent();
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    await interrupted;
    expect([signal.aborted, isLate(signal)]).toEqual([true, reason !== undefined]);
  }
});

describe("the fallback of a tool", () => {
  it("answers in place of a tool that is down, and says so", async () => {
    const { call } = runtimeOf(realTool({ return: { id: "{{args.id}}", city: "{{city}}" } }, down));
    expect(await call({ id: 7 })).toMatchObject({
      outcome: { ok: true, value: { id: 7, city: "Bonn" } },
      content: '{"id":7,"city":"Bonn"}',
      fallback: {
        by: "answer",
        reason: { errorType: "runtime", message: "it is down", retryable: true, recommendations: ["Wait"] },
      },
    });
  });

  it("leaves a tool alone that answers", async () => {
    const { call } = runtimeOf(realTool({ return: 1 }, async () => good(2)));
    const invocation = await call();
    expect(invocation.outcome).toEqual(good(2));
    expect(invocation).not.toHaveProperty("fallback");
  });

  it.each<[written: object, outcome: HandlerOutcome, isAnswered: boolean]>([
    [{ return: 1 }, bad("runtime"), true],
    [{ return: 1 }, bad("aborted"), true],
    [{ return: 1 }, bad("logical"), false],
    [{ return: 1 }, good({ ok: false, error: "no" }), false],
    [{ return: 1, on: ["logical"] }, good({ ok: false, error: "no" }), true],
    [{ return: 1, on: ["logical"] }, bad("runtime"), false],
  ])("%j with %j", async (written, outcome, isAnswered) => {
    const { call } = runtimeOf(realTool(written, async () => outcome));
    expect((await call()).outcome.ok).toBe(isAnswered);
  });

  it("takes a throw and a missed deadline for a tool that is down", async () => {
    const thrown = runtimeOf(realTool({ return: 1 }, () => Promise.reject(new Error("boom"))));
    expect((await thrown.call()).fallback?.reason.message).toBe("boom");
    const hanging = runtimeOf(realTool({ return: 1 }, () => new Promise(() => {})));
    const answered = hanging.call();
    hanging.clock.advance(1_000);
    expect(await answered).toMatchObject({
      outcome: { ok: true, value: 1 },
      fallback: { reason: { errorType: "aborted" } },
    });
  });

  it("does not stand in for arguments that are wrong", async () => {
    const tool = realTool({ return: 1 }, down, { parameters: { type: "object", required: ["id"] } });
    expect((await runtimeOf(tool).call()).outcome).toMatchObject({ ok: false, failure: { errorType: "validation" } });
  });

  it("does not answer a call that was interrupted with its trial", async () => {
    const { call, controller } = runtimeOf(realTool({ return: 1 }, () => new Promise(() => {})));
    const answered = call();
    controller.abort();
    const invocation = await answered;
    expect(invocation.outcome).toMatchObject({ ok: false, failure: { errorType: "aborted" } });
    expect(invocation).not.toHaveProperty("fallback");
  });

  it("may be an error, which is the one that the model is told", async () => {
    const { call } = runtimeOf(realTool({ error: { type: "logical", message: "try tomorrow" } }, down));
    expect(await call()).toMatchObject({
      outcome: { ok: false, failure: { errorType: "logical", message: "try tomorrow" } },
      fallback: { reason: { message: "it is down" } },
    });
  });

  it("answers as a simulated tool does: by arguments, by number, with state and time of its own", async () => {
    const written = {
      responses: [
        { when: { city: "{{city}}" }, return: "at home" },
        { call: 2, return: "second", delay: "5s" },
        { state: { seen: true }, return: "seen" },
      ],
      default: { return: "first", set: { seen: true } },
    };
    const { call, clock } = runtimeOf(realTool(written, down), { timeoutMs: 10_000 });
    expect((await call()).outcome).toEqual(good("first"));
    const second = call();
    await Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)));
    clock.advance(5_000);
    expect((await second).outcome).toEqual(good("second"));
    expect((await call({ city: "Bonn" })).outcome).toEqual(good("at home"));
    expect((await call()).outcome).toEqual(good("seen"));
  });

  it("has a deadline of its own", async () => {
    const { call, clock } = runtimeOf(realTool({ default: { hang: true } }, down));
    const answered = call();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    expect(await answered).toMatchObject({
      outcome: { ok: false, failure: { errorType: "aborted", message: "The tool did not answer within 1 s" } },
      fallback: { by: "answer", reason: { errorType: "runtime" } },
    });
  });

  it("lets the error stand where it has no answer", async () => {
    const { call } = runtimeOf(realTool({ responses: [{ when: { id: 1 }, return: 1 }] }, down));
    const invocation = await call({ id: 2 });
    expect(invocation.outcome).toMatchObject({ ok: false, failure: { errorType: "runtime", message: "it is down" } });
    expect(invocation).not.toHaveProperty("fallback");
    const invalid = runtimeOf(realTool({ responses: [{ when: { id: "{{nobody}}" }, return: 1 }] }, down));
    expect(await invalid.call()).toMatchObject({ isFixtureBroken: true });
  });

  it("stands behind the faults of its tool", async () => {
    const faults = {
      seed: 1,
      list: [
        {
          id: "f",
          tool: "real",
          call: 1,
          times: 1,
          rate: null,
          effect: { kind: "error", error: { type: "runtime", message: "put in" } },
        },
        { id: "g", tool: "real", call: 2, times: 1, rate: null, effect: { kind: "truncate", keep: 2 } },
      ],
    } as const;
    const values = createLastValues();
    const tool = realTool({ last_value: true, return: "instead" }, async () => good("a long answer"));
    const { call, runtime } = runtimeOf(tool, { faults, lastValues: values });
    expect(await call()).toMatchObject({
      outcome: { ok: true, value: "instead" },
      fault: { id: "f" },
      fallback: { by: "answer", reason: { message: "put in" } },
    });
    expect((await call()).outcome).toEqual(good("a "));
    expect(runtime.faultReports()).toMatchObject([{ fired: 1 }, { fired: 1 }]);
    expect(values.read(tool.fallback ?? {}, "real", {})).toBeUndefined();
  });
});

describe("last_value", () => {
  it("is what the same call returned last in the run, whatever was called between, else the default", async () => {
    const argument = fc.constantFrom<unknown>({ a: 1, b: [1] }, { b: [1], a: 1 }, { a: 2 }, {}, undefined);
    const made = fc.record({ args: argument, trial: fc.nat(2), value: fc.option(fc.jsonValue(), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(fc.array(made, { maxLength: 20 }), async (calls) => {
        let next: unknown;
        const tool = realTool({ last_value: true, return: "default" }, async () =>
          next === undefined ? bad("runtime") : good({ value: next }),
        );
        const lastValues = createLastValues();
        const trials = [0, 1, 2].map(() => runtimeOf(tool, { lastValues }));
        const known = new Map<string, unknown>();
        for (const { args, trial, value } of calls) {
          next = value;
          const key = canonicalJson(args ?? {});
          if (value !== undefined) known.set(key, { value });
          const invocation = await trials[trial]?.call(args);
          expect(invocation?.outcome).toEqual(good(known.has(key) ? known.get(key) : "default"));
          const by = value !== undefined ? undefined : known.has(key) ? "last_value" : "answer";
          expect(invocation?.fallback?.by).toBe(by);
        }
      }),
    );
  });

  it("lets the error stand the first time where nothing else is said", async () => {
    const { call } = runtimeOf(realTool({ last_value: true }, down));
    expect((await call()).outcome).toMatchObject({ ok: false, failure: { message: "it is down" } });
  });

  it("is not that of another case where the case decides what a call means", async () => {
    const lastValues = createLastValues();
    const outcomes = [good("in Bonn"), bad("runtime"), bad("runtime")];
    const tool = realTool({ last_value: true, return: "none" }, async () => outcomes.shift() ?? bad("runtime"), {
      isOfCase: true,
    });
    const inBonn = runtimeOf(tool, { lastValues });
    await inBonn.call();
    expect((await runtimeOf(tool, { lastValues, scope: { city: "Kyiv" } }).call()).outcome).toEqual(good("none"));
    expect((await inBonn.call()).outcome).toEqual(good("in Bonn"));
  });

  it("keeps the newest thousand calls of a tool", () => {
    const values = createLastValues();
    const tool = {};
    const keep = (index: number): void => values.keep(tool, "t", { index }, index);
    for (let index = 0; index < 1_000; index += 1) keep(index);
    keep(0);
    keep(1_000);
    expect([0, 1, 2, 1_000].map((index) => values.read(tool, "t", { index })?.value)).toEqual([0, undefined, 2, 1_000]);
  });
});

function problemTexts(schema: z.ZodType<unknown>, written: unknown): string {
  const parsed = schema.safeParse(written);
  const problems = parsed.success ? [] : problemsOf(parsed.error);
  return problems.map(({ message, hint = "" }) => `${message} ${hint}`).join("\n");
}

describe("fallback: in the config", () => {
  it.each<[written: object, message: string]>([
    [{}, "A fallback needs `return`, `error`, `responses`, `default` or `last_value`"],
    [{ return: 1, error: { message: "x" } }, "A fallback has either `return` or `error`, not both"],
    [{ return: 1, default: { return: 2 } }, "A fallback has either `return` or `default`, not both"],
    [{ return: 1, responses: [{ return: 2 }] }, "Write it under default, next to responses"],
    [{ return: 1, on: ["validation"] }, 'Entry 1 must be "runtime", "aborted", "logical" or "exception"'],
    [{ retrun: 1 }, 'Unknown key "retrun"'],
  ])("refuses %j", (written, message) => {
    expect(problemTexts(fallbackSchema, written)).toContain(message);
  });

  it.each<[written: object, message: string | null]>([
    [{ name: "a", default: { return: 1 }, fallback: { return: 1 } }, "is for real tools"],
    [{ name: "a", fallback: { return: 1 } }, "is for real tools"],
    [{ module: "a.ts", fallback: { return: 1 } }, "one answer for every tool of the module"],
    [{ module: "a.ts", fallback: { last_value: true } }, null],
    [{ module: "a.ts", name: "a", fallback: { return: 1 } }, null],
    [{ name: "a", url: "http://x", fallback: { return: null } }, null],
  ])("of %j", (written, message) => {
    const problems = problemTexts(toolSchema, written);
    if (message === null) expect(problems).toBe("");
    else expect(problems).toContain(message);
  });
});

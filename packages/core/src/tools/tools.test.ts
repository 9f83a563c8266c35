import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { simulatedTool } from "../__fixtures__/simulated-tool.js";
import { problemsOf } from "../schema-parts/parse-with.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { ToolRuntimeSettings } from "./tool-runtime-settings.js";
import { ToolRunner } from "./tool-runner.js";
import { recommendationsSchema } from "./recommendations-schema.js";
import { toolSchema } from "./tool-schema.js";

const lookup = {
  name: "lookup_order",
  parameters: {
    type: "object",
    properties: { order_id: { type: "string" }, note: { type: "string" } },
    required: ["order_id"],
  },
  responses: [
    { when: { order_id: "ORD-1" }, times: 1, error: { message: "upstream timed out", recommendations: ["Try once"] } },
    { when: { order_id: { $regex: "^ORD-" } }, return: { id: "{{args.order_id}}", city: "{{city}}", total: 49.99 } },
  ],
  default: { error: { type: "logical", message: "no such order" } },
};

function runtime(tools: readonly unknown[], more: Partial<ToolRuntimeSettings> = {}) {
  const clock = createManualClock();
  const settings: ToolRuntimeSettings = {
    tools: tools.map(simulatedTool),
    style: "envelope",
    recommendations: null,
    timeoutMs: 60_000,
    clock,
    scope: { city: "Bonn" },
    ...more,
  };
  const created = new ToolRunner(settings);
  const controller = new AbortController();
  const call = (tool: string, args: unknown, malformed?: RequestedToolCall["malformed"]) =>
    created.invoke(
      { id: "c1", tool, args, ...(malformed === undefined ? {} : { malformed }) },
      { signal: controller.signal },
    );
  return { call, clock, controller };
}

describe("a simulated tool", () => {
  it("uses each response as often as it says, then the next that matches, then the default", async () => {
    const { call } = runtime([lookup]);
    expect(JSON.parse((await call("lookup_order", { order_id: "ORD-1" })).content)).toEqual({
      ok: false,
      error: "upstream timed out",
      errorType: "runtime",
      retryable: true,
      recommendations: ["Try once"],
    });
    expect((await call("lookup_order", { order_id: "ORD-1" })).outcome).toEqual({
      ok: true,
      value: { id: "ORD-1", city: "Bonn", total: 49.99 },
    });
    expect((await call("lookup_order", { order_id: "X" })).outcome).toMatchObject({
      ok: false,
      failure: { errorType: "logical", message: "no such order", retryable: true },
    });
  });

  it("answers by the number of the call where `call` says so", async () => {
    const { call } = runtime([{ name: "t", responses: [{ call: 2, return: "second" }], default: { return: "other" } }]);
    expect([(await call("t", {})).content, (await call("t", {})).content, (await call("t", {})).content]).toEqual([
      "other",
      "second",
      "other",
    ]);
  });

  it("tells the model when nothing matches and there is no default", async () => {
    const { call } = runtime([{ name: "t", responses: [{ when: { a: 1 }, return: 1 }] }]);
    expect((await call("t", { a: 2 })).outcome).toMatchObject({
      failure: { errorType: "logical", message: "No simulated response for t({a: 2})" },
    });
  });

  it("fails a call that has no value for a template", async () => {
    const { call } = runtime([{ name: "t", default: { return: "{{args.note}}" } }]);
    expect((await call("t", {})).outcome).toMatchObject({
      failure: { errorType: "logical", message: "The call has no value for {{args.note}}" },
    });
  });

  it("keeps an error that says it must not be repeated", async () => {
    const { call } = runtime([{ name: "pay", default: { error: { message: "declined", retryable: false } } }]);
    expect((await call("pay", {})).outcome).toMatchObject({ failure: { errorType: "runtime", retryable: false } });
  });
});

describe("the tool runtime", () => {
  it.each([
    ["an unknown tool", "lookup_ordr", {}, undefined, 'There is no tool "lookup_ordr". Did you mean "lookup_order"?'],
    ["a missing argument", "lookup_order", {}, undefined, /^Invalid parameters: .*order_id/],
    [
      "an argument of another type",
      "lookup_order",
      { order_id: 7 },
      undefined,
      /^Invalid parameters: order_id .*string/,
    ],
    [
      "arguments that are no JSON",
      "lookup_order",
      undefined,
      { raw: "{", reason: "cut off" },
      "The arguments are not valid JSON: cut off",
    ],
  ] as const)(
    "answers %s with a validation error that is not retryable",
    async (_name, tool, args, malformed, message) => {
      const { call } = runtime([lookup]);
      const { outcome } = await call(tool, args, malformed);
      expect(outcome).toMatchObject({
        ok: false,
        failure: {
          errorType: "validation",
          retryable: false,
          message: typeof message === "string" ? message : expect.stringMatching(message),
        },
      });
    },
  );

  it("leaves a tool behind that does not answer in time", async () => {
    const { call, clock } = runtime([{ name: "slow", timeout: "2s", responses: [{ delay: "10s", return: 1 }] }]);
    const called = call("slow", {});
    clock.advance(2_000);
    expect((await called).outcome).toMatchObject({
      failure: { errorType: "aborted", retryable: false, message: "The tool did not answer within 2 s" },
    });
  });

  it("ends a call when the trial is stopped", async () => {
    const { call, controller } = runtime([{ name: "slow", responses: [{ delay: "10s", return: 1 }] }]);
    const called = call("slow", {});
    controller.abort();
    expect((await called).outcome).toMatchObject({ failure: { errorType: "aborted" } });
    expect((await call("slow", {})).outcome).toMatchObject({ failure: { errorType: "aborted" } });
  });

  it("reports an error as the config asks", async () => {
    const failing = { name: "t", default: { error: { message: "no" } } };
    expect((await runtime([failing], { style: "plain" }).call("t", {})).content).toBe("no");
    expect((await runtime([failing], { style: "none" }).call("t", {})).content).toBe("");
  });

  it("gives the tool's own advice, else the first rule that fits, else the built-in list where asked", async () => {
    const failing = { name: "fs_read", default: { error: { message: "no" } } };
    const rules = recommendationsSchema.parse([
      { tool: "fs_*", error_type: "logical", recommendations: ["wrong type"] },
      { tool: "fs_*", recommendations: ["Use fs_glob"] },
    ]);
    const advice = async (tool: unknown, recommendations: ToolRuntimeSettings["recommendations"]) => {
      const { outcome } = await runtime([tool], { recommendations }).call("fs_read", {});
      return outcome.ok ? null : outcome.failure.recommendations;
    };
    expect(await advice({ ...failing, recommendations: { runtime: ["own"] } }, rules)).toEqual(["own"]);
    expect(await advice(failing, rules)).toEqual(["Use fs_glob"]);
    expect(await advice(failing, "builtin")).toContain("Try again once; the cause may have passed");
    expect(await advice(failing, null)).toBeUndefined();
  });
});

describe("toolSchema", () => {
  it.each([
    [{ name: "t", responses: [{ when: {} }] }, ["responses", 0], /needs `return` or `error`/],
    [{ name: "t", default: { return: 1, error: { message: "x" } } }, ["default"], /not both/],
    [{ name: "a b" }, ["name"], /letters, digits/],
    [{ name: "t", parameters: [] }, ["parameters"], /must be an object/],
    [
      { name: "t", responses: [{ when: { a: { $regx: "x" } }, return: 1 }] },
      ["responses", 0, "when", "a", "$regx"],
      /\$regx/,
    ],
  ])("refuses %j", (written, path, message) => {
    const parsed = toolSchema.safeParse(written, { reportInput: true });
    const [problem] = parsed.success ? [] : problemsOf(parsed.error);
    expect(problem?.path).toEqual(path);
    expect(problem?.message).toMatch(message);
  });
});

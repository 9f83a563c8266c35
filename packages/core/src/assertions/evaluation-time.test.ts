import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AssertionContext } from "./define-assertion.js";
import { assertionDefinitions } from "./registry.js";
import { activeMs } from "../__fixtures__/active-ms.js";
import { shortenDeadlines } from "../__fixtures__/shorten-deadlines.js";
import { isSmall, withinTime } from "../matchers/within-time.js";
import { evaluateWritten } from "../__fixtures__/evaluate-written.js";

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const branch = (key: string) => ({ type: "object", properties: { a: { $ref: "#/$defs/node" } }, required: [key] });
/** Each level of the data is looked at twice for each time that the level above it is. */
const doubling = { $ref: "#/$defs/node", $defs: { node: { anyOf: [branch("y"), branch("z")] } } };

/** On a busy machine one of the patterns may use up its own time first. */
const ended = {
  success: false,
  error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringMatching(/took more than (?:1\.5 s|250 ms)/) },
};

describe("an evaluation that would hold up the run", () => {
  it("of data that is small is ended, and says so", async () => {
    const { deadlines } = shortenDeadlines();
    const assertion = { type: "schema", schema: doubling };
    expect(await evaluateWritten(assertion, { output: deep(60) })).toMatchObject(ended);
    expect(deadlines).toEqual([1_500]);
  });

  it("of many patterns, each of which has some time, is ended, and says so", async () => {
    // What it takes is counted, so the clock may run fifty times as fast.
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() * 50);
    onTestFinished(() => clock.mockRestore());
    const assertion = { type: "json", value: { $every: { $not: { $regex: "(x+x+)+y" } } } };
    const output = JSON.stringify(Array.from({ length: 500 }, () => "x".repeat(19)));
    expect(await evaluateWritten(assertion, { output })).toMatchObject(ended);
  });

  it("leaves no trace", async () => {
    const assertion = { type: "schema", schema: doubling };
    expect(await evaluateWritten(assertion, { output: deep(3) })).toMatchObject({ data: { pass: false } });
  });
});

describe("calls of a trial", () => {
  // Outside of the limit, which is real time: a busy machine uses that up, and time with the square of the calls far more.
  it.each(["recovers_from", "fixes_arguments", "no_blind_retry", "no_redundant_calls"])(
    "%s takes 20,000 of them",
    (type) => {
      const definition = assertionDefinitions.find((one) => one.type === type);
      const error = { errorType: "validation" as const, message: "no", retryable: false };
      const toolCalls = Array.from({ length: 20_000 }, (_, n) => ({ tool: "get", args: { n }, error }));
      const options = definition?.options.parse(type.startsWith("no_") ? {} : { tool: "get" });
      let outcome: unknown;
      const took = activeMs(() => {
        outcome = definition?.evaluate(options, { toolCalls, output: "x" }, {} as AssertionContext);
      });
      expect(outcome).toMatchObject({ success: true });
      expect(took).toBeLessThan(1_500);
    },
  );
});

describe("withinTime", () => {
  it("hands on what comes of an action", () => {
    for (const isCheap of [true, false]) {
      expect(
        withinTime(
          () => isCheap,
          () =>
            withinTime(
              () => false,
              () => 1,
            ),
        ),
      ).toBe(1);
      const fail = (): never => {
        throw new TypeError("of its own");
      };
      expect(() => withinTime(() => isCheap, fail)).toThrow(TypeError);
    }
  });
});

describe("isSmall", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  it.each<[string, readonly unknown[], boolean]>([
    ["nothing", [], true],
    ["a text at the limit", ["a".repeat(19_999)], true],
    ["a longer text", ["a".repeat(20_001)], false],
    ["texts that are long together", ["a".repeat(10_000), { b: ["b".repeat(10_000)] }], false],
    ["a long list", [Array.from({ length: 30_000 })], false],
    ["many keys", [Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`key${index}`, 0]))], false],
    ["data that holds itself", [circle], false],
    ["what is no JSON", [{ a: undefined, b: null, c: 1n }], true],
  ])("%s", (_what, values, small) => {
    expect(isSmall(...values)).toBe(small);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createProcessRunner } from "../processes/node-process-runner.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import type { TrialToolCall } from "../transcript/trial.js";
import { createSystemClock } from "../values/clock.js";
import { isRecord } from "../values/json.js";
import { createAssertionContext } from "./create-context.js";
import { evaluateParsed } from "./evaluate-parsed.js";
import { parseAssertion } from "./parse-assertion.js";

const numRuns = draws({ brief: 120, full: 20_000 });
const clock = createSystemClock();
const context = createAssertionContext({ clock, processes: createProcessRunner(clock) });

const argsArbitrary = fc.constantFrom<unknown>(
  {},
  { id: 1, deep: { a: 1, b: [1, 2] } },
  { id: 2, deep: { a: 1, b: [2, 1] } },
  { id: 1 },
  '{"id":',
);
const errorArbitrary = fc.record({
  errorType: fc.constantFrom(...toolErrorTypes),
  message: fc.constant("broken"),
  retryable: fc.boolean(),
});
const callArbitrary = fc
  .record({
    tool: fc.constantFrom("get", "find"),
    args: argsArbitrary,
    error: fc.option(errorArbitrary, { nil: undefined }),
    startsTurn: fc.boolean(),
  })
  .map(({ error, ...call }) => (error === undefined ? { ...call, result: "ok" } : { ...call, error }));

/** Calls in their order, some of them parallel. */
const callsArbitrary = fc.array(callArbitrary, { maxLength: 8 }).map((drawn) => {
  let turn = 1;
  return drawn.map(({ startsTurn, ...call }, index): TrialToolCall => {
    if (startsTurn && index > 0) turn += 1;
    return { ...call, turn };
  });
});

const written = [
  { type: "recovers_from", tool: "get" },
  { type: "recovers_from", tool: "get", via: ["fi*"] },
  { type: "recovers_from", tool: "get", error_type: ["runtime", "validation"], args: { id: { $gt: 0 } } },
  { type: "no_blind_retry" },
  { type: "no_blind_retry", tool: "get", errors: "any" },
  { type: "no_blind_retry", errors: ["runtime"], unless_after: "find" },
  { type: "fixes_arguments", tool: "get" },
  { type: "no_tool_errors", tool: ["get", "find"] },
  { type: "no_tool_errors", tool: "find", error_type: "aborted" },
  { type: "no_redundant_calls", tool: ["get", "find"] },
  { type: "no_redundant_calls", tool: "get", unless_after: "find", max: 1 },
] as const;
const assertion = fc.constantFrom<Record<string, unknown>>(...written);

async function judge(raw: unknown, toolCalls: readonly TrialToolCall[]) {
  const parsed = parseAssertion(raw, "/project");
  if (!parsed.success) throw new Error(parsed.error[0]?.message);
  const evaluated = await evaluateParsed(parsed.data, { toolCalls, output: "Sorry." }, context);
  if (!evaluated.success) throw new Error(evaluated.error.message);
  const { pass, score, message } = evaluated.data;
  return { pass, score, message };
}

const passes = async (raw: unknown, calls: readonly TrialToolCall[]) => (await judge(raw, calls)).pass;

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, item]) => [key, turned(item)]));
}

const law = (...check: Parameters<typeof fc.asyncProperty<[TrialToolCall[], Record<string, unknown>]>>) =>
  fc.assert(fc.asyncProperty(...check), { numRuns });

describe("the assertions on recovery", () => {
  it("do not mind in which order the keys of arguments stand", () =>
    law(callsArbitrary, assertion, async (calls, raw) => {
      const other = calls.map((call, index) => (index % 2 === 0 ? call : { ...call, args: turned(call.args) }));
      expect(await passes(raw, other)).toBe(await passes(raw, calls));
    }));

  it("do not mind calls of other tools, wherever they stand", () =>
    fc.assert(
      fc.asyncProperty(callsArbitrary, assertion, fc.array(fc.nat(8)), async (calls, raw, places) => {
        // Some are parallel to other calls; those of the end have a turn of their own.
        const other = calls.map((call) => ({ ...call }));
        for (const place of places) {
          const turn = other[place]?.turn ?? (other.at(-1)?.turn ?? 0) + 1;
          other.splice(place, 0, { tool: "irrelevant", args: { id: place, nonce: other.length }, turn, result: "ok" });
        }
        expect(await passes(raw, other)).toBe(await passes(raw, calls));
      }),
      { numRuns },
    ));

  it("mind the order of turns, not their numbers", () =>
    law(callsArbitrary, assertion, async (calls, raw) => {
      const later = calls.map((call) => ({ ...call, turn: (call.turn ?? 0) * 3 + 4 }));
      expect(await passes(raw, later)).toBe(await passes(raw, calls));
    }));

  it("take each call for a turn of its own where turns are not known", () =>
    law(callsArbitrary, assertion, async (calls, raw) => {
      const sequential = calls.map((call, index) => ({ ...call, turn: index + 1 }));
      const unknown = calls.map((call): TrialToolCall => {
        const { turn: _, ...rest } = call;
        return rest;
      });
      expect(await passes(raw, unknown)).toBe(await passes(raw, sequential));
    }));

  it("are turned round by `not`", () =>
    law(callsArbitrary, assertion, async (calls, raw) => {
      const plain = await judge(raw, calls);
      const negated = await judge({ ...raw, not: true }, calls);
      expect(negated.pass).toBe(!plain.pass);
      expect(negated.score).toBeCloseTo(1 - plain.score);
      expect(plain.pass).toBe(plain.score === 1);
    }));

  it("know what follows from a trial without errors", () =>
    fc.assert(
      fc.asyncProperty(callsArbitrary, async (drawn) => {
        const calls = drawn.map((call): TrialToolCall => {
          const { error: _, ...rest } = call;
          return { ...rest, result: "ok" };
        });
        expect(await passes({ type: "no_tool_errors" }, calls)).toBe(true);
        expect(await passes({ type: "no_blind_retry", errors: "any" }, calls)).toBe(true);
        expect(await passes({ type: "recovers_from", tool: "get", via: "*" }, calls)).toBe(false);
        expect(await passes({ type: "fixes_arguments", tool: "get" }, calls)).toBe(false);
      }),
    ));

  it("ask more the more they are told", () =>
    fc.assert(
      fc.asyncProperty(callsArbitrary, fc.integer({ min: 1, max: 5 }), async (calls, within) => {
        const implies = async (stricter: object, looser: object): Promise<void> => {
          if (await passes(stricter, calls)) expect(await passes(looser, calls)).toBe(true);
        };
        const recovery = { type: "recovers_from", tool: "get" };
        await implies({ ...recovery, within }, { ...recovery, within: within + 1 });
        await implies({ ...recovery, within }, recovery);
        await implies(recovery, { ...recovery, via: "find" });
        await implies({ type: "no_blind_retry", errors: "any" }, { type: "no_blind_retry", errors: ["logical"] });
        await implies({ type: "no_blind_retry", errors: ["logical"] }, { type: "no_blind_retry" });
        await implies({ type: "no_blind_retry" }, { type: "no_blind_retry", unless_after: "find" });
        await implies({ type: "no_tool_errors" }, { type: "no_tool_errors", tool: "get" });
        await implies({ type: "no_redundant_calls" }, { type: "no_redundant_calls", max: within });
      }),
    ));

  it("see an error in the last turn as one that was not overcome", () =>
    fc.assert(
      fc.asyncProperty(callsArbitrary, errorArbitrary, async (calls, error) => {
        const turn = (calls.at(-1)?.turn ?? 0) + 1;
        const broken = [...calls, { tool: "get", args: {}, turn, error }];
        expect(await passes({ type: "recovers_from", tool: "get", via: "*" }, broken)).toBe(false);
        expect(await passes({ type: "no_tool_errors" }, broken)).toBe(false);
      }),
    ));

  it("see every repetition of a call that failed for good", () =>
    fc.assert(
      fc.asyncProperty(callsArbitrary, argsArbitrary, fc.nat(8), async (calls, args, place) => {
        const turn = (calls.at(-1)?.turn ?? 0) + 1;
        const error = { errorType: "logical" as const, message: "declined", retryable: false };
        const rest = calls.slice(place).map((call) => ({ ...call, turn: turn + (call.turn ?? 0) }));
        const repeated: TrialToolCall[] = [
          ...calls.slice(0, place),
          { tool: "pay", args, turn, error },
          ...rest,
          { tool: "pay", args: turned(args), turn: 3 * turn, result: "paid" },
        ];
        expect(await passes({ type: "no_blind_retry" }, repeated)).toBe(false);
        expect(await passes({ type: "no_blind_retry", tool: "pay" }, repeated.slice(0, -1))).toBe(true);
      }),
    ));
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { createProcessRunner } from "../../processes/node-process-runner.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { createSystemClock } from "../../values/clock.js";
import { createAssertionContext } from "../create-context.js";
import { evaluateParsed } from "../evaluate-parsed.js";
import { parseAssertion } from "../parse-assertion.js";

const clock = createSystemClock();
const context = createAssertionContext({ clock, processes: createProcessRunner(clock) });
const numRuns = draws({ brief: 60, full: 20_000 });

async function judge(raw: unknown, toolCalls: readonly TrialToolCall[]) {
  const parsed = parseAssertion(raw, "/project");
  if (!parsed.success) throw new Error(parsed.error[0]?.message);
  const evaluated = await evaluateParsed(parsed.data, { toolCalls, output: "Done." }, context);
  if (!evaluated.success) throw new Error(evaluated.error.message);
  const { pass, score } = evaluated.data;
  return { pass, score };
}

const passes = async (raw: unknown, calls: readonly TrialToolCall[]) => (await judge(raw, calls)).pass;

const error = { errorType: "validation", message: "no such id", retryable: false } as const;
const drawnCall = fc.record({
  tool: fc.constantFrom("a", "b", "c"),
  args: fc.constantFrom({ n: 1 }, { n: 2 }),
  failed: fc.boolean(),
});

/** A trial as its turns, so its calls can be put in any order within each. */
const drawnTurns = fc.array(fc.array(drawnCall, { minLength: 1, maxLength: 3 }), { maxLength: 4 }).map((turns) =>
  turns.map((calls, index) =>
    calls.map(({ failed, ...call }): TrialToolCall => ({
      ...call,
      turn: index + 1,
      ...(failed ? { error } : { result: "ok" }),
    })),
  ),
);

const drawnWish = fc.oneof(
  fc.constantFrom<{ tool: string; args?: object }>({ tool: "a" }, { tool: "b" }, { tool: "c" }),
  fc.constantFrom({ tool: "a", args: { n: 1 } }, { tool: "b", args: { n: { $gt: 1 } } }),
);
const drawnWishes = fc.array(drawnWish, { minLength: 1, maxLength: 4 });
type Wish = { tool: string; args?: object };

function isMet({ tool, args }: Wish, call: TrialToolCall): boolean {
  const wantedNumber = args === undefined ? null : "n" in args && args.n === 1 ? 1 : 2;
  return call.tool === tool && (wantedNumber === null || JSON.stringify(call.args) === `{"n":${wantedNumber}}`);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/** Every order in which the calls can have happened. */
function histories(turns: readonly (readonly TrialToolCall[])[]): TrialToolCall[][] {
  return turns.reduce<TrialToolCall[][]>(
    (known, turn) => known.flatMap((before) => permutations(turn).map((after) => [...before, ...after])),
    [[]],
  );
}

function longestCommon(wishes: readonly Wish[], calls: readonly TrialToolCall[]): number {
  const [first, ...rest] = wishes;
  if (first === undefined || calls.length === 0) return 0;
  const at = calls.findIndex((call) => isMet(first, call));
  const without = longestCommon(rest, calls);
  return at === -1 ? without : Math.max(without, 1 + longestCommon(rest, calls.slice(at + 1)));
}

/** Every way to meet each wish with a call in a later turn than the one before it. */
function assignments(wishes: readonly Wish[], calls: readonly TrialToolCall[], after = 0): TrialToolCall[][] {
  const [first, ...rest] = wishes;
  if (first === undefined) return [[]];
  return calls
    .filter((call) => (call.turn ?? 0) > after && isMet(first, call))
    .flatMap((call) => assignments(rest, calls, call.turn).map((later) => [call, ...later]));
}

function withoutTurns(calls: readonly TrialToolCall[]): TrialToolCall[] {
  return calls.map((call) => {
    const { turn: _, ...rest } = call;
    return rest;
  });
}

const law = (check: (turns: TrialToolCall[][], wishes: Wish[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(drawnTurns, drawnWishes, check), { numRuns });

describe("the order of tool calls", () => {
  it("lets tool_calls accept what some order within the turns makes true", () =>
    law(async (turns, wishes) => {
      const calls = turns.flat();
      const most = Math.max(...histories(turns).map((history) => longestCommon(wishes, history)));
      const strict = await judge({ type: "tool_calls", mode: "strict", calls: wishes }, calls);
      expect(strict).toEqual({
        pass: most === wishes.length && most === calls.length,
        score: most / Math.max(wishes.length, calls.length),
      });
      const inOrder = await judge({ type: "tool_calls", mode: "in_order", calls: wishes }, calls);
      expect(inOrder).toEqual({ pass: most === wishes.length, score: most / wishes.length });
    }));

  it("lets tool_order accept each entry in a later turn than the one before it, and nothing else", () =>
    law(async (turns, wishes) => {
      const calls = turns.flat();
      const found = assignments(wishes, calls);
      expect(await passes({ type: "tool_order", tools: wishes }, calls)).toBe(found.length > 0);
      const isContiguous = found.some((chosen) => {
        const [first, last] = [chosen[0]?.turn ?? 0, chosen.at(-1)?.turn ?? 0];
        return calls.every((call) => chosen.includes(call) || (call.turn ?? 0) <= first || (call.turn ?? 0) >= last);
      });
      const isInARow = found.some((chosen) =>
        chosen.every((call, index) => (call.turn ?? 0) === (chosen[0]?.turn ?? 0) + index),
      );
      const strict = await passes({ type: "tool_order", tools: wishes, strict: true }, calls);
      expect(strict).toBe(isContiguous && isInARow);
    }));

  it("is the same for tool_called and tool_order", () =>
    law(async (turns) => {
      const calls = turns.flat();
      for (const [tool, other] of [
        ["a", "b"],
        ["b", "a"],
        ["c", "c"],
      ] as const) {
        const ordered = await passes({ type: "tool_order", tools: [tool, other] }, calls);
        expect(await passes({ type: "tool_called", tool, before: other }, calls)).toBe(ordered);
        expect(await passes({ type: "tool_called", tool: other, after: tool }, calls)).toBe(ordered);
      }
    }));

  it("compares positions with by: position, and where turns are not known", () =>
    law(async (turns, wishes) => {
      const calls = turns.flat();
      const shapes = [
        { type: "tool_order", tools: wishes },
        { type: "tool_order", tools: wishes, strict: true },
        { type: "tool_calls", mode: "strict", calls: wishes },
        { type: "tool_calls", mode: "in_order", calls: wishes },
      ];
      for (const shape of shapes) {
        const byPosition = await judge({ ...shape, by: "position" }, calls);
        expect(await judge(shape, withoutTurns(calls))).toEqual(byPosition);
        const single = calls.map((call, index) => ({ ...call, turn: index + 1 }));
        expect(await judge(shape, single)).toEqual(byPosition);
      }
    }));

  const assertions = [
    { type: "tool_order", tools: ["a", "b"] },
    { type: "tool_order", tools: ["a", "b", "c"], strict: true },
    { type: "tool_calls", mode: "strict", calls: [{ tool: "a" }, { tool: "b" }, { tool: "a", args: { n: 1 } }] },
    { type: "tool_calls", mode: "in_order", calls: [{ tool: "a" }, { tool: "b" }, { tool: "a", args: { n: 1 } }] },
    { type: "tool_called", tool: "a", before: "b" },
    { type: "tool_called", tool: "a", after: "b", times: 2 },
    { type: "recovers_from", tool: "a" },
    { type: "recovers_from", tool: "a", via: "b", within: 1 },
    { type: "recovers_from", tool: "a", via: "b", within: 2 },
    { type: "fixes_arguments", tool: "a" },
    { type: "no_blind_retry" },
    { type: "no_blind_retry", unless_after: "b" },
    { type: "no_redundant_calls" },
    { type: "no_redundant_calls", unless_after: "b" },
  ];

  it.each(assertions)("does not depend on the positions within a turn: %j", (raw) =>
    fc.assert(
      fc.asyncProperty(drawnTurns, fc.nat(), async (turns, seed) => {
        const expected = await judge(raw, turns.flat());
        const shuffled = turns.flatMap((turn) => {
          const orders = permutations(turn);
          return orders[seed % orders.length] ?? turn;
        });
        expect(await judge(raw, shuffled)).toEqual(expected);
        // Nor on the order in which a transcript lists the turns.
        expect(await judge(raw, turns.toReversed().flat())).toEqual(expected);
      }),
      { numRuns },
    ),
  );

  it("is never circular where only some turns are known", async () => {
    const calls: TrialToolCall[] = [
      { tool: "a", args: {}, turn: 2 },
      { tool: "b", args: {} },
      { tool: "c", args: {}, turn: 1 },
    ];
    const pairs = ["ab", "bc", "ca", "ba", "cb", "ac"];
    const held = await Promise.all(
      pairs.map(async (pair) => ((await passes({ type: "tool_order", tools: pair.split("") }, calls)) ? pair : "")),
    );
    expect(held.filter((pair) => pair !== "")).toEqual(["ab", "bc", "ac"]);
  });
});

import * as z from "zod";
import { describe, expect, it } from "vitest";
import { shortenDeadlines } from "../__fixtures__/shorten-deadlines.js";
import { failure, success, type Result } from "../result.js";
import type { Trial } from "../transcript/trial.js";
import type { Clock } from "../values/clock.js";
import { evalError } from "./assertion-failure.js";
import type { AssertionOutcome } from "./assertion-result.js";
import { createAssertionContext } from "./create-context.js";
import { defineAssertion } from "./define-assertion.js";
import { evaluateParsed } from "./evaluate-parsed.js";
import { parseAssertion } from "./parse-assertion.js";
import type { ParsedAssertion, ParsedCheck } from "./parsed-assertion.js";

let now = 0;
const clock: Clock = { now: () => now, monotonic: () => now, sleep: async () => {}, after: () => () => {} };
const context = createAssertionContext({
  clock,
  processes: { run: async () => failure({ message: "none", cause: new Error("none") }) },
});

function parsed(raw: unknown): ParsedAssertion {
  const result = parseAssertion(raw, "/project");
  if (!result.success) throw new Error(result.error[0]?.message);
  return result.data;
}

function check(evaluate: () => Result<AssertionOutcome>, changes: Partial<ParsedCheck> = {}): ParsedCheck {
  const definition = defineAssertion({
    type: "probe",
    summary: "",
    example: "",
    kind: "deterministic",
    options: z.unknown(),
    evaluate,
  });
  const common = { not: false, weight: 1, when: null, options: {}, references: [] };
  return { form: "check", type: "probe", definition, ...common, ...changes };
}

const group = (required: number, ...members: ParsedAssertion[]): ParsedAssertion => {
  return { form: "group", type: "at_least", not: false, weight: 1, when: null, required, members };
};

const scored = (score: number, weight = 1): ParsedCheck =>
  check(() => success({ pass: score >= 0.5, score, message: `The score is ${score}` }), { weight });
const broken = check(() => evalError("probe", "It broke"));
const skipped = parsed({ type: "contains", value: "x", when: { finish_reason: "length" } });
const trial: Trial = { output: "hello", finishReason: "stop" };

describe("a check", () => {
  it("is framed with its type, id, weight and the time that it took", async () => {
    const slow = check(
      () => {
        now += 7;
        return success({ pass: true, score: 1, message: "Fine" });
      },
      { id: "mine", weight: 3 },
    );
    expect(await evaluateParsed(slow, trial, context)).toEqual(
      success({ type: "probe", id: "mine", pass: true, score: 1, message: "Fine", weight: 3, durationMs: 7 }),
    );
  });

  it.each([
    ["throws", new Error("boom"), "boom"],
    ["throws a text", "boom", "boom"],
  ])("that %s is an error with its cause", async (_, thrown, message) => {
    const result = await evaluateParsed(
      check(() => {
        // oxlint-disable-next-line only-throw-error -- a user's code may throw anything
        throw thrown;
      }),
      trial,
      context,
    );
    expect(result).toMatchObject({
      success: false,
      error: {
        code: "ASSERTION_EVAL_ERROR",
        message: `The "probe" assertion threw an error: ${message}`,
        details: { type: "probe" },
        cause: { message },
      },
    });
  });

  it.each([
    ["contains", { type: "contains", value: "x" }, "output"],
    ["latency", { type: "latency", max: "1ms" }, "latencyMs"],
    ["cost", { type: "cost", max: 1 }, "costUsd"],
    ["tokens", { type: "tokens", max: 1 }, "usage"],
    ["turns", { type: "turns", max: 1 }, "turns"],
    ["finish_reason", { type: "finish_reason", value: "stop" }, "finishReason"],
    ["schema", { type: "schema", schema: true }, "output"],
  ])("of type %s is an error on a trial that lacks what it reads", async (type, raw, field) => {
    expect(await evaluateParsed(parsed(raw), {}, context)).toMatchObject({
      success: false,
      error: {
        code: "ASSERTION_EVAL_ERROR",
        message: `The "${type}" assertion reads ${field}, which the trial does not have`,
      },
    });
  });
});

describe("not", () => {
  it.each([
    [{ type: "contains", value: "hello" }, false, 0, 'Expected the opposite, but the answer contains "hello"'],
    [
      { type: "contains", value: ["hello", "world"] },
      true,
      0.5,
      'The opposite holds, as wanted: expected the answer to contain "world", but it is "hello"',
    ],
  ])("inverts pass and score of %j", async (raw, pass, score, message) => {
    const result = await evaluateParsed(parsed({ ...raw, not: true }), trial, context);
    expect(result).toMatchObject({ success: true, data: { pass, score, message } });
  });

  it("leaves errors and skips as they are", async () => {
    expect((await evaluateParsed({ ...broken, not: true }, trial, context)).success).toBe(false);
    const result = await evaluateParsed({ ...skipped, not: true }, trial, context);
    expect(result).toMatchObject({ data: { skipped: true, pass: true } });
  });
});

describe("when", () => {
  const full: Trial = {
    output: "hi",
    toolCalls: [
      { tool: "a", args: { x: 1 }, result: 2 },
      { tool: "b", args: {}, error: { errorType: "runtime", message: "down", retryable: true } },
    ],
    turns: 2,
    latencyMs: 30,
    costUsd: null,
    finishReason: "stop",
    usage: { inputTokens: 4, outputTokens: 5 },
  };

  it.each([
    [{ output: { $contains: "h" } }, false],
    [{ output: "other" }, true],
    [{ tool_calls: [{ tool: "a", args: { x: 1 }, result: 2, error: { $absent: true } }, { tool: "b" }] }, false],
    [{ tool_calls: { $includes: { error: { error_type: "runtime", retryable: true } } } }, false],
    [{ tool_calls: { $length: 1 } }, true],
    [{ turns: 2, latency_ms: { $lt: 31 }, cost_usd: null, finish_reason: "stop" }, false],
    [{ usage: { input_tokens: 4, output_tokens: 5 } }, false],
    [{ usage: { output_tokens: 6 } }, true],
  ])("%j: skipped is %s", async (when, isSkipped) => {
    const result = await evaluateParsed(parsed({ type: "no_pii", when }), full, context);
    expect(result.success && result.data.skipped === true).toBe(isSkipped);
  });

  it("is an error, not a crash, when its regular expression runs out of time", async () => {
    shortenDeadlines();
    const runaway = parsed({ type: "no_pii", when: { output: { $regex: "(a+)+$" } } });
    expect(await evaluateParsed(runaway, { output: `${"a".repeat(40)}b` }, context)).toMatchObject({
      success: false,
      error: {
        code: "ASSERTION_EVAL_ERROR",
        message: expect.stringMatching(
          /^The "when" of the "no_pii" assertion threw an error: .* took more than 250 ms/,
        ),
      },
    });
  });

  it("is an error when it reads what the trial does not have, unless absence is what it asks for", async () => {
    const result = await evaluateParsed(parsed({ type: "no_pii", when: { latency_ms: { $gt: 5 } } }), trial, context);
    expect(result).toMatchObject({ success: false, error: { message: expect.stringContaining("reads latency_ms") } });
    const absent = parsed({ type: "no_pii", when: { latency_ms: { $absent: true } } });
    expect(await evaluateParsed(absent, trial, context)).toMatchObject({ success: true, data: { pass: true } });
  });
});

describe("user_turn", () => {
  const conversation: Trial = { output: "two", userTurns: [{ output: "one" }, { output: "two" }] };

  it("looks at one user turn", async () => {
    const result = await evaluateParsed(parsed({ type: "equals", value: "one", user_turn: 1 }), conversation, context);
    expect(result).toMatchObject({ data: { pass: true, userTurn: 1 } });
  });

  it.each([
    [3, conversation, "the trial has 2 user turns"],
    [1, trial, "the trial has no user turns"],
  ])("is an error for turn %i of too few", async (turn, given, words) => {
    const result = await evaluateParsed(parsed({ type: "no_pii", user_turn: turn }), given, context);
    expect(result).toMatchObject({ error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringContaining(words) } });
  });
});

describe("a group", () => {
  it.each<[string, ParsedAssertion, Partial<AssertionOutcome>]>([
    ["all of all", group(2, scored(1), scored(0.8)), { pass: true, score: 0.9, message: "All 2 pass" }],
    [
      "all of some",
      group(2, scored(1), scored(0)),
      { pass: false, score: 0.5, message: "Expected all 2 to pass, but only 1 did: probe: The score is 0" },
    ],
    ["all, by weight", group(2, scored(1, 3), scored(0.6)), { pass: true, score: 0.9 }],
    ["any", group(1, scored(0), scored(0.7)), { pass: true, score: 0.7, message: "1 of 2 pass" }],
    [
      "any of none",
      group(1, scored(0), scored(0.2)),
      {
        pass: false,
        score: 0.2,
        message: expect.stringContaining("Expected at least 1 of 2 to pass, but none did: probe:"),
      },
    ],
    ["two of three", group(2, scored(0.1), scored(1), scored(0.5)), { pass: true, score: 0.75 }],
    ["a skipped member", group(2, scored(1), skipped), { pass: true, score: 1 }],
    ["a member that broke where others decide for it", group(1, broken, scored(1)), { pass: true, score: 1 }],
    ["a member that broke where others decide against it", group(2, broken, scored(0)), { pass: false }],
    ["not of it", { ...group(1, scored(0)), not: true }, { pass: true, score: 1 }],
  ])("decides on %s", async (_, parsedGroup, expected) => {
    const result = await evaluateParsed(parsedGroup, trial, context);
    expect(result).toMatchObject({ success: true, data: expected });
  });

  it("is an error when a member that broke would decide", async () => {
    expect(await evaluateParsed(group(2, broken, scored(1)), trial, context)).toMatchObject({
      success: false,
      error: { message: "It broke" },
    });
    expect((await evaluateParsed(group(1, broken, scored(0)), trial, context)).success).toBe(false);
  });

  it("shows every member, broken ones with their error", async () => {
    const result = await evaluateParsed(group(1, broken, scored(1), skipped), trial, context);
    expect(result).toMatchObject({
      data: {
        parts: [{ type: "probe", pass: false, error: { message: "It broke" } }, { pass: true }, { skipped: true }],
      },
    });
  });

  it("is skipped when all of its members are", async () => {
    expect(await evaluateParsed(group(2, skipped, skipped), trial, context)).toMatchObject({ data: { skipped: true } });
    const negated = { ...group(1, skipped), not: true };
    expect(await evaluateParsed(negated, trial, context)).toMatchObject({ data: { skipped: true, pass: true } });
  });

  it("adds up costs and keeps what must not be shown", async () => {
    const costly = check(() => success({ pass: true, score: 1, message: "", costUsd: 0.5, sensitive: ["secret"] }));
    expect(await evaluateParsed(group(2, costly, costly), trial, context)).toMatchObject({
      data: { costUsd: 1, sensitive: ["secret", "secret"] },
    });
  });
});

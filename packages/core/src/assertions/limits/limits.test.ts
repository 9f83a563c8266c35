import { describe, expect, it } from "vitest";
import type { Trial } from "../../transcript/trial.js";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";

const trial: Trial = {
  output: "Hello, dear world",
  latencyMs: 1_500,
  costUsd: 0.0042,
  usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 60 },
  turns: 2,
  finishReason: "stop",
};

describe("bounds on a trial", () => {
  it.each([
    [{ type: "latency", max: "2s" }, true, "The latency is 1.5 s, at most 2 s as asked"],
    [{ type: "latency", max: "1500ms", min: "1.5s" }, true, "The latency is 1.5 s, exactly 1.5 s as asked"],
    [{ type: "latency", max: "1s" }, false, "Expected the latency to be at most 1 s, but it is 1.5 s"],
    [{ type: "cost", max: 0.005 }, true, "The cost is $0.0042, at most $0.005 as asked"],
    [{ type: "cost", min: 0.005, max: 2 }, false, "Expected the cost to be from $0.005 to $2.00, but it is $0.0042"],
    [{ type: "tokens", max: 120 }, true, "The number of tokens is 120, at most 120 as asked"],
    [
      { type: "tokens", of: "input", max: 99 },
      false,
      "Expected the number of input tokens to be at most 99, but it is 100",
    ],
    [
      { type: "tokens", of: "output", min: 21 },
      false,
      "Expected the number of output tokens to be at least 21, but it is 20",
    ],
    [{ type: "turns", min: 1, max: 2 }, true, "The number of turns is 2, from 1 to 2 as asked"],
    [{ type: "turns", max: 1 }, false, "Expected the number of turns to be at most 1, but it is 2"],
    [{ type: "length", max: 3, unit: "words" }, true, "The length of the answer is 3 words, at most 3 words as asked"],
    [
      { type: "length", max: 1, unit: "words" },
      false,
      "Expected the length of the answer to be at most 1 word, but it is 3 words",
    ],
    [
      { type: "length", min: 18 },
      false,
      "Expected the length of the answer to be at least 18 characters, but it is 17 characters",
    ],
    [{ type: "finish_reason", value: "stop" }, true, 'The finish reason is "stop"'],
    [{ type: "finish_reason", value: "length" }, false, 'Expected the finish reason to be "length", but it is "stop"'],
  ])("%j: %s", async (config, pass, message) => {
    expect(await evaluateWritten(config, trial)).toMatchObject({
      success: true,
      data: { pass, score: pass ? 1 : 0, message },
    });
  });

  it.each([
    [{ type: "cost", max: 1 }, { costUsd: null }, "The cost is unknown"],
    [{ type: "tokens", max: 1 }, { usage: null }, "The provider did not report"],
  ])("%j is an error where the figure is unknown", async (config, given, words) => {
    expect(await evaluateWritten(config, given)).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringContaining(words) },
    });
  });

  it.each([
    [{ type: "latency" }, 'At least one of "min" and "max" is needed'],
    [{ type: "turns", min: 3, max: 2 }, '"min" is more than "max"'],
    [{ type: "tokens", max: 1.5 }, '"max" must be a whole number'],
    [{ type: "cost", max: -1 }, '"max" must be at least 0'],
    [{ type: "latency", max: 5 }, "The duration 5 has no unit"],
    [{ type: "latency", max: "soon" }, '"soon" is not a valid duration'],
    [{ type: "tokens", max: 1, of: "inputs" }, '"of" must be "input", "output" or "total"'],
  ])("refuses %j", async (config, message) => {
    expect(await evaluateWritten(config, trial)).toMatchObject({
      success: false,
      error: { code: "CONFIG_VALIDATION_ERROR", message: expect.stringContaining(message) },
    });
  });
});

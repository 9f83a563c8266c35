import { expect, it } from "vitest";
import { inSuite, failedCase, sampleAssertion } from "../../../../core/src/__fixtures__/sample-run.js";
import type { TrialResult } from "@kindlm/core";
import { describeTrial } from "./report-trial.js";
import { timelineOf } from "./timeline.js";

const same = (text: string): string => text;
const options = { redact: same, asTyped: same, withTranscript: true };

async function trialOf(shown: Partial<TrialResult>): Promise<TrialResult> {
  for await (const trial of inSuite([failedCase("a")]).trials()) return { ...trial, ...shown } as TrialResult;
  throw new Error("no trial");
}

const turn = (turnNumber: number, userTurn: number, latencyMs: number, failedMs = 0): TrialResult["turns"][number] => {
  const attempt = { provider: "openai", requestId: null, error: null, waitedMs: null };
  const failed = { code: "PROVIDER_RATE_LIMIT", message: "limit", details: undefined } as never;
  return {
    turn: turnNumber,
    userTurn,
    latencyMs,
    timeToFirstTokenMs: null,
    usage: null,
    costUsd: null,
    finishReason: "stop",
    servedBy: "gpt",
    fallback: null,
    attempts: [
      ...(failedMs === 0 ? [] : [{ ...attempt, attempt: 1, latencyMs: failedMs, error: failed, waitedMs: 2_000 }]),
      { ...attempt, attempt: 2, latencyMs },
    ],
  };
};

it("lays requests, waits, and the calls of one reply where they happened", async () => {
  const call = (tool: string, durationMs: number) => ({ tool, args: {}, result: 1, durationMs, turn: 1, userTurn: 1 });
  const trial = await trialOf({
    turns: [turn(1, 1, 500, 100), turn(2, 1, 300)],
    toolCalls: [call("slow", 80), call("quick", 20)],
  });
  const { spans, startOf } = timelineOf(trial);
  expect(spans.map(({ kind, name, startMs, durationMs }) => [kind, name, startMs, durationMs])).toEqual([
    ["model", "gpt", 0, 100],
    ["wait", "retry of openai", 100, 2_000],
    ["model", "gpt", 2_100, 500],
    ["tool", "slow", 2_600, 80],
    ["tool", "quick", 2_600, 20],
    ["model", "gpt", 2_680, 300],
  ]);
  expect([...startOf.values()]).toEqual([2_600, 2_600]);
  expect(spans[0]?.isTrouble).toBe(true);
});

it("cuts what nobody reads, between whole characters", async () => {
  const dump = `${"x".repeat(99_999)}🙂 end`;
  const trial = await trialOf({ output: dump, messages: [{ role: "user", content: "y".repeat(1_000_001) }] });
  const { rows, messages } = describeTrial({ ...trial, messages: [] }, options);
  expect(rows?.[0]?.text?.slice(99_990)).toBe("xxxxxxxxx… 6 more characters");
  expect(messages).toEqual([]);
  const [first] = describeTrial(trial, options).messages;
  expect(JSON.stringify(first)).toContain("yyy… 1 more characters");
});

it("masks what an assertion found that must not be shown, in rows and in messages", async () => {
  const sensitive = [sampleAssertion({ pass: false, sensitive: ["joe@example.com"] })];
  const messages = [{ role: "user" as const, content: "I am joe@example.com" }];
  const trial = await trialOf({ messages, assertions: sensitive });
  expect(JSON.stringify(describeTrial(trial, options))).not.toContain("joe@");
  expect(describeTrial(trial, options).rows?.[0]?.text).toBe("I am [redacted]");
});

it("keeps everything but the conversation of a trial that lost its transcript", async () => {
  const trial = await trialOf({ messages: [{ role: "user", content: "hi" }] });
  const { rows, messages, assertions } = describeTrial(trial, { ...options, withTranscript: false });
  expect({ rows, messages }).toEqual({ rows: null, messages: [] });
  expect(assertions).toHaveLength(1);
});

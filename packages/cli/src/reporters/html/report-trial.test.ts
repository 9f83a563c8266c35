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

const start = Date.parse("2026-02-15T10:30:00Z");
type Attempt = TrialResult["turns"][number]["attempts"][number];

/** A request that was sent so long after the start of the trial. */
const attempt = (sentMs: number, latencyMs: number, more: Partial<Attempt> = {}): Attempt => {
  const always = { attempt: 1, provider: "openai", requestId: null, error: null, waitedMs: null };
  return { ...always, startedAt: start + sentMs, latencyMs, ...more };
};

const turn = (number: number, attempts: readonly Attempt[]): TrialResult["turns"][number] => ({
  turn: number,
  userTurn: 1,
  latencyMs: 0,
  timeToFirstTokenMs: null,
  usage: null,
  costUsd: null,
  finishReason: "stop",
  servedBy: "gpt",
  fallback: null,
  attempts,
});

const placesOf = (trial: TrialResult) =>
  timelineOf(trial).map(({ kind, name, startMs, durationMs }) => [kind, name, startMs, durationMs]);

it("lays requests, waits, and calls where they happened", async () => {
  const error = { code: "PROVIDER_RATE_LIMIT", message: "limit", details: undefined } as never;
  const call = (tool: string, startMs: number, durationMs: number) => ({
    tool,
    args: {},
    result: 1,
    startedAt: start + startMs,
    durationMs,
    turn: 1,
    userTurn: 1,
  });
  const trial = await trialOf({
    startedAt: start,
    durationMs: 3_200,
    turns: [
      turn(1, [attempt(40, 100, { error, waitedMs: 2_000, queuedMs: 30 }), attempt(2_140, 500)]),
      turn(2, [attempt(2_800, 300, { queuedMs: 70, isRateLimited: true })]),
    ],
    toolCalls: [call("slow", 2_645, 80), call("quick", 2_646, 20)],
  });
  expect(placesOf(trial)).toEqual([
    ["wait", "queue for openai", 10, 30],
    ["model", "gpt", 40, 100],
    ["wait", "retry of openai", 140, 2_000],
    ["model", "gpt", 2_140, 500],
    ["tool", "slow", 2_645, 80],
    ["tool", "quick", 2_646, 20],
    ["wait", "rate limit of openai", 2_730, 70],
    ["model", "gpt", 2_800, 300],
  ]);
  expect(timelineOf(trial)[1]?.isTrouble).toBe(true);
});

it("lays what has no place in the trial end to end: recordings, and judges of a later session", async () => {
  const judged = { ...turn(1, [attempt(86_400_000, 60)]), role: "judge" as const, model: "critic" };
  const totals = { requests: 1, costUsd: 0, unpricedRequests: 0, usage: { inputTokens: 0, outputTokens: 0 } };
  const trial = await trialOf({
    startedAt: start,
    durationMs: 5,
    turns: [turn(1, [attempt(1, 400, { replayed: true })]), turn(2, [attempt(2, 300, { replayed: true })])],
    toolCalls: [],
    judging: { ...totals, calls: [judged] },
  });
  expect(placesOf(trial)).toEqual([
    ["model", "gpt", 1, 400],
    ["model", "gpt", 401, 300],
    ["judge", "critic", 701, 60],
  ]);
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

it("names the agents of a trial with several, and the only one of another not", async () => {
  const said = (agent: string) => ({ role: "assistant" as const, text: `I am ${agent}`, toolCalls: [], agent });
  const rowsOf = async (...agents: string[]) =>
    describeTrial(await trialOf({ messages: agents.map(said), toolCalls: [] }), options).rows?.map(({ name }) => name);
  expect(await rowsOf("triage", "billing")).toEqual(["triage", "billing"]);
  expect(await rowsOf("triage", "triage")).toEqual([undefined, undefined]);
});

import { describe, expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import type { Transcript } from "../targets/target.js";
import { buildTrial, totalsOf } from "./build-trial.js";

describe("buildTrial", () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  const served = { servedBy: "m-1", fallback: null, timeToFirstTokenMs: null };
  const turn = { latencyMs: 10, usage, finishReason: "stop", ...served };
  const attempt = {
    attempt: 1,
    provider: "p",
    startedAt: 0,
    latencyMs: 10,
    error: null,
    requestId: null,
    waitedMs: null,
  };
  const transcript: Transcript = {
    messages: [
      { role: "user", content: "history" },
      { role: "assistant", text: "old", toolCalls: [] },
      { role: "user", content: "cancel" },
      { role: "assistant", text: "Are you sure?", toolCalls: [] },
      { role: "user", content: "yes" },
      { role: "assistant", text: "", toolCalls: [{ id: "1", tool: "cancel", args: {} }] },
      { role: "tool", callId: "1", tool: "cancel", content: "ok", isError: false },
      { role: "assistant", text: "Done", toolCalls: [] },
    ],
    turns: [
      { turn: 1, userTurn: 1, costUsd: 0.1, attempts: [attempt, attempt], ...turn },
      { turn: 2, userTurn: 2, costUsd: null, attempts: [attempt], ...turn },
      { turn: 3, userTurn: 2, costUsd: 0.2, attempts: [attempt], ...turn },
    ],
    toolCalls: [{ tool: "cancel", args: {}, result: "ok", turn: 2, userTurn: 2 }],
  };

  it("adds up, an unknown price making the cost unknown", () => {
    expect(totalsOf(transcript)).toEqual({
      output: "Done",
      latencyMs: 30,
      costUsd: null,
      unpricedRequests: 1,
      usage: { inputTokens: 9, outputTokens: 6 },
      attempts: 4,
      servedBy: "m-1",
      fallback: null,
      finishReason: "stop",
    });
  });

  it("counts no request for which nothing was sent", () => {
    const error = kindlmError("PROVIDER_AUTH_ERROR", "no key", { details: { provider: "p", sent: false } });
    const unsent = { ...attempt, error };
    const refused = { ...attempt, error: kindlmError("PROVIDER_AUTH_ERROR", "no", { details: { provider: "p" } }) };
    const turns = [{ turn: 1, userTurn: 1, costUsd: 0, attempts: [refused, unsent], ...turn }];
    expect(totalsOf({ messages: [], toolCalls: [], turns }).attempts).toBe(1);
  });

  it("cuts the trial at its user messages, history left out", () => {
    const trial = buildTrial(transcript, totalsOf(transcript), 2, null);
    const slices = trial.userTurns;
    expect(JSON.parse(JSON.stringify(trial))).toMatchObject({ userTurns: JSON.parse(JSON.stringify(slices)) });
    expect(slices?.map(({ output, turns, toolCalls }) => [output, turns, toolCalls?.length])).toEqual([
      ["Are you sure?", 1, 0],
      ["Done", 2, 1],
    ]);
  });
});

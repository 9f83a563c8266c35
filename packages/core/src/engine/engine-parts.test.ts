import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { Transcript } from "../targets/target.js";
import { buildTrial, totalsOf } from "./build-trial.js";
import { createEventStream } from "./create-event-stream.js";
import { maskSensitive } from "./mask-sensitive.js";
import { parseGitStatus } from "./read-git.js";
import type { RunEvent } from "./run-event.js";
import { createDeadlines, createStopSwitch } from "./trial-deadline.js";

describe("createDeadlines", () => {
  it("aborts at the deadline and says which", () => {
    const clock = createManualClock();
    const deadline = createDeadlines(clock, createStopSwitch())(5_000);
    clock.advance(4_999);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.reason).toMatchObject({ code: "ENGINE_TIMEOUT", message: "The trial took longer than 5 s" });
  });

  it("aborts with the run, also when the run was stopped before", () => {
    const [clock, stop] = [createManualClock(), createStopSwitch()];
    const open = createDeadlines(clock, stop);
    const early = open(5_000);
    stop.stop(kindlmError("ENGINE_ABORTED", "stop"));
    stop.stop(kindlmError("ENGINE_TIMEOUT", "too late"));
    const late = open(5_000);
    expect([early.reason?.code, late.reason?.code]).toEqual(["ENGINE_ABORTED", "ENGINE_ABORTED"]);
    expect(late.signal.aborted).toBe(true);
  });

  it("hands a signal on to the next trial, but never one that was aborted", () => {
    const clock = createManualClock();
    const open = createDeadlines(clock, createStopSwitch());
    const first = open(5_000);
    first.release();
    const second = open(1_000);
    expect(second.signal).toBe(first.signal);
    clock.advance(1_000);
    expect([first.reason, second.reason?.code]).toEqual([null, "ENGINE_TIMEOUT"]);
    second.release();
    expect(open(1_000).signal.aborted).toBe(false);
  });

  it("does nothing once it is released", () => {
    const [clock, stop] = [createManualClock(), createStopSwitch()];
    const deadline = createDeadlines(clock, stop)(5_000);
    deadline.release();
    clock.advance(10_000);
    stop.stop(kindlmError("ENGINE_ABORTED", "stop"));
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe("createEventStream", () => {
  it("numbers events without gaps, drops a listener that throws, and tells the others", () => {
    const heard: RunEvent[] = [];
    const bad = (): void => {
      throw new Error("broken listener");
    };
    const emit = createEventStream([bad, (event) => void heard.push(event)], createManualClock({ start: 7 }));
    emit({ channel: "progress", type: "suite:start", suite: "s", cases: 1 });
    emit({ channel: "progress", type: "suite:end", suite: "s" });
    expect(heard.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(heard.filter(({ type }) => type === "error")).toMatchObject([
      { message: "A listener of the event stream failed and was dropped: broken listener", phase: "system", time: 7 },
    ]);
  });
});

describe("maskSensitive", () => {
  it("masks what an assertion found wherever it stands, and keeps the list to itself", () => {
    const trial = {
      output: "Write to jo@example.org",
      toolCalls: [{ args: { to: ["jo@example.org"] } }],
      assertions: [
        {
          type: "any_of",
          pass: false,
          score: 0,
          message: "found",
          weight: 1,
          durationMs: 0,
          parts: [
            {
              type: "no_pii",
              pass: false,
              score: 0,
              message: "m",
              weight: 1,
              durationMs: 0,
              sensitive: ["jo@example.org"],
            },
          ],
        },
      ],
    };
    const masked = maskSensitive(trial);
    expect(JSON.stringify(masked)).not.toContain("jo@example.org");
    expect(masked.output).toBe("Write to [masked]");
    expect(JSON.stringify(masked)).not.toContain("sensitive");
  });

  it("returns the very same trial when nothing is sensitive", () => {
    const trial = { assertions: [] };
    expect(maskSensitive(trial)).toBe(trial);
  });
});

describe("parseGitStatus", () => {
  it.each([
    ["# branch.oid abc123\n# branch.head main\n", { commit: "abc123", branch: "main", dirty: false }],
    ["# branch.oid abc123\n# branch.head (detached)\n1 .M N... f", { commit: "abc123", branch: null, dirty: true }],
    ["# branch.oid (initial)\n# branch.head main\n", null],
    ["", null],
  ])("%j", (text, expected) => {
    expect(parseGitStatus(text)).toEqual(expected);
  });
});

describe("buildTrial", () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  const served = { servedBy: "m-1", fallback: null, timeToFirstTokenMs: null };
  const turn = { latencyMs: 10, usage, finishReason: "stop", ...served };
  const attempt = { attempt: 1, provider: "p", latencyMs: 10, error: null, requestId: null, waitedMs: null };
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

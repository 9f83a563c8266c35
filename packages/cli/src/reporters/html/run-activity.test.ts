import type { TrialResult } from "@kindlm/core";
import { expect, it } from "vitest";
import { failedCase, inSuite } from "../../../../core/src/__fixtures__/sample-run.js";
import { RunActivity } from "./run-activity.js";

const start = Date.parse("2026-02-15T10:30:00Z");
type Attempt = TrialResult["turns"][number]["attempts"][number];
type Part = Partial<Attempt> & { sentMs: number };

const test = failedCase("a");

/** What a run with one trial per list of requests did; times are from its start. */
async function activityOf(...trials: readonly (Partial<TrialResult> & { sent: readonly Part[] })[]) {
  const activity = new RunActivity();
  for (const { sent, ...more } of trials) {
    for await (const trial of inSuite([failedCase("a")]).trials()) {
      const attempts = sent.map(({ sentMs, ...part }, at) => ({
        attempt: at + 1,
        provider: "openai",
        requestId: null,
        error: null,
        waitedMs: null,
        latencyMs: 100_000,
        startedAt: start + sentMs,
        ...part,
      }));
      const turn = { turn: 1, latencyMs: 1, timeToFirstTokenMs: null, usage: null, costUsd: 0, finishReason: "stop" };
      const turns = [{ ...turn, userTurn: 1, servedBy: "gpt", fallback: null, attempts }];
      activity.see(test, { ...trial, turns, toolCalls: [], ...more } as TrialResult);
      break;
    }
  }
  return activity.describe();
}

/** A list of steps as runs of equal values. */
const runsOf = (values: readonly number[]) =>
  values.flatMap((value, at) => (at > 0 && values[at - 1] === value ? [] : [[at, value]]));

it("shows how many requests were in flight at each time, by provider", async () => {
  const found = await activityOf(
    { sent: [{ sentMs: 0 }, { sentMs: 100_000 }] },
    { sent: [{ sentMs: 50_000, provider: "anthropic" }] },
    { sent: [{ sentMs: 50_000 }] },
  );
  const [openai, anthropic] = [found.get("openai"), found.get("anthropic")];
  expect(openai).toMatchObject({ stepMs: 1_000, waits: [], rejected: [], breaksMs: 0 });
  expect(runsOf(openai?.inFlight ?? [])).toEqual([
    [0, 1],
    [50, 2],
    [150, 1],
  ]);
  expect(runsOf(anthropic?.inFlight ?? [])).toEqual([
    [0, 0],
    [50, 1],
    [150, 0],
  ]);
});

it("shows what requests waited for", async () => {
  const limited = { code: "PROVIDER_RATE_LIMIT", message: "limit", details: undefined } as never;
  const broken = { code: "PROVIDER_NETWORK_ERROR", message: "broken", details: undefined } as never;
  const found = await activityOf({
    sent: [
      { sentMs: 20_000, queuedMs: 20_000, latencyMs: 20_000, error: limited, waitedMs: 20_000 },
      { sentMs: 80_000, queuedMs: 20_000, isRateLimited: true, latencyMs: 20_000, error: broken, waitedMs: 20_000 },
      { sentMs: 120_000, latencyMs: 80_000 },
    ],
  });
  expect(found.get("openai")?.waits.map(({ reason, waiting }) => [reason, runsOf(waiting)])).toEqual([
    [
      "rate limit",
      [
        [0, 0],
        [40, 1],
        [80, 0],
      ],
    ],
    [
      "retry",
      [
        [0, 0],
        [100, 1],
        [120, 0],
      ],
    ],
    [
      "queue",
      [
        [0, 1],
        [20, 0],
      ],
    ],
  ]);
});

it("leaves out the time between two sessions, and what recordings answered", async () => {
  const found = await activityOf(
    { sent: [{ sentMs: 0 }, { sentMs: 0, provider: "taped", replayed: true }] },
    { sent: [{ sentMs: 86_400_000 }] },
  );
  expect(found.get("openai")).toMatchObject({ stepMs: 1_000, breaksMs: 86_300_000 });
  expect(runsOf(found.get("openai")?.inFlight ?? [])).toEqual([[0, 1]]);
  expect(found.has("taped")).toBe(false);
});

it("counts what an open circuit rejected where the requests of the same model went", async () => {
  const error = { code: "PROVIDER_CIRCUIT_OPEN", message: "open", details: undefined } as never;
  const found = await activityOf(
    { sent: [], startedAt: start + 150_000, durationMs: 0, status: "errored", error },
    { sent: [{ sentMs: 0, latencyMs: 200_000 }] },
  );
  expect(runsOf(found.get("openai")?.rejected ?? [])).toEqual([
    [0, 0],
    [150, 1],
    [151, 0],
  ]);
});

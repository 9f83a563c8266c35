import { kindlmError, type RunEvent, type RunEventBody } from "@kindlm/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { passedCase } from "../../../core/src/__fixtures__/sample-run.js";
import { fakeStream } from "../__fixtures__/fake-environment.js";
import { createLiveRegion, renderRegion } from "./live-region.js";
import { createPlainProgress } from "./plain-progress.js";
import { createRunProgress } from "./run-progress.js";
import { fitWidth, textWidth } from "../terminal/text-width.js";

const safe = (text: string): string => text;
let seq = 0;
const event = (body: RunEventBody, time = 0): RunEvent => ({ ...body, seq: (seq += 1), time });
const ref = (name: string) => ({ suite: "Suite A", caseId: `Suite A/${name}@gpt`, trial: 1 });
const start = (count: number): RunEvent =>
  event({
    channel: "progress",
    type: "run:start",
    runId: "r",
    suites: 1,
    cases: count,
    trials: count,
    concurrency: 8,
    maxCostUsd: null,
  });
const finish = (name: string, time = 0): RunEvent[] => [
  event({ channel: "progress", type: "trial:start", ...ref(name) }, time),
  event({ channel: "progress", type: "trial:end", status: "passed", costUsd: 0.01, ...ref(name) }, time),
  event({ channel: "progress", type: "case:end", suite: "Suite A", result: passedCase(name), assertions: [] }, time),
];
const wait = (name: string, waitMs: number, time: number): RunEvent => {
  const error = kindlmError("PROVIDER_RATE_LIMIT", "429");
  const body = {
    channel: "progress",
    type: "retry:start",
    turn: 1,
    attempt: 1,
    provider: "openai",
    model: "gpt",
    retry: 1,
    retries: 2,
  } as const;
  return event({ ...body, waitMs, error, ...ref(name) }, time);
};

describe("createPlainProgress", () => {
  it("prints a line every tenth of the run", () => {
    const stream = fakeStream();
    const progress = createPlainProgress({ stream, verbose: false, color: false, safe });
    progress.onEvent(start(100));
    for (let index = 0; index < 100; index += 1) finish(`t${index}`, index * 500).forEach(progress.onEvent);
    progress.onEvent(event({ channel: "progress", type: "run:end", runId: "r", interrupted: false }, 49_500));
    const lines = stream.text().trimEnd().split("\n");
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe("10% of 100 trials: 9 passed, 0 failed, 0 errored, 4.5 s");
    expect(lines[9]).toBe("100% of 100 trials: 100 passed, 0 failed, 0 errored, 49.5 s");
  });

  it("says nothing of a run that is over within a second", () => {
    const stream = fakeStream();
    const progress = createPlainProgress({ stream, verbose: false, color: false, safe });
    progress.onEvent(start(100));
    for (let index = 0; index < 100; index += 1) finish(`t${index}`, index * 9).forEach(progress.onEvent);
    progress.onEvent(event({ channel: "progress", type: "run:end", runId: "r", interrupted: false }, 999));
    expect(stream.text()).toBe("");
  });

  it("says when it waits long, and not for every call that waits", () => {
    const stream = fakeStream();
    const progress = createPlainProgress({ stream, verbose: false, color: false, safe });
    progress.onEvent(start(10));
    progress.onEvent(wait("a", 4_000, 0));
    expect(stream.text()).toBe("");
    for (const name of ["b", "c", "d"]) progress.onEvent(wait(name, 12_000, 0));
    expect(stream.text()).toBe("waiting 12 s for openai rate limit\n");
  });

  it("does not say that it waits for a limit when the call that met it is the only one, and is not tried again", () => {
    const limit = { channel: "progress", type: "limiter", provider: "openai", model: "m", limit: 1 } as const;
    const paused = event({ ...limit, because: "rate_limit", ratePerSecond: null, pausedMs: 30_000 }, 0);
    const said = ["a", "ab"].map((names) => {
      const stream = fakeStream();
      const progress = createPlainProgress({ stream, verbose: false, color: false, safe });
      progress.onEvent(start(2));
      for (const name of names) progress.onEvent(event({ channel: "progress", type: "trial:start", ...ref(name) }));
      progress.onEvent(paused);
      return stream.text();
    });
    expect(said).toEqual(["", "waiting 30 s for openai rate limit\n"]);
  });

  it("prints a line per case when verbose", () => {
    const stream = fakeStream();
    const progress = createPlainProgress({ stream, verbose: true, color: false, safe });
    [start(1), ...finish("a")].forEach(progress.onEvent);
    expect(stream.text()).toContain("✓ Suite A/a@gpt: passed in 812 ms\n");
  });
});

describe("createLiveRegion", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("draws at most ten times per second and leaves nothing behind", () => {
    const stream = fakeStream({ isTerminal: true, columns: 60 });
    const progress = createLiveRegion({ stream, verbose: false, color: false, safe });
    progress.onEvent(start(1_000));
    for (let index = 0; index < 500; index += 1) finish(`t${index}`).forEach(progress.onEvent);
    expect(stream.text()).toBe("");
    vi.advanceTimersByTime(1_000);
    expect(stream.text().match(/500 passed/g)).toHaveLength(10);
    progress.stop();
    progress.stop();
    expect(screen(stream.text())).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(screen(stream.text())).toEqual([]);
  });

  it("keeps finished cases above the region when verbose", () => {
    const stream = fakeStream({ isTerminal: true, columns: 60 });
    const progress = createLiveRegion({ stream, verbose: true, color: false, safe });
    [start(2), ...finish("a")].forEach(progress.onEvent);
    vi.advanceTimersByTime(200);
    finish("b").forEach(progress.onEvent);
    progress.stop();
    expect(screen(stream.text())).toEqual(["✓ Suite A/a@gpt: passed in 812 ms", "✓ Suite A/b@gpt: passed in 812 ms"]);
  });
});

/** What a terminal shows after such output: line feeds, and up by one line to erase it, are all that is used. */
function screen(output: string): string[] {
  const rows: string[] = [];
  // eslint-disable-next-line no-control-regex -- the escape sequence itself is what is split at
  for (const piece of output.split(/(\u001b\[1A\u001b\[2K)/)) {
    if (piece === "\u001b[1A\u001b[2K") rows.pop();
    else rows.push(...piece.split("\n").slice(0, -1));
  }
  return rows;
}

describe("renderRegion", () => {
  it("shows counts, what runs, time left, cost and waiting", () => {
    const { state, apply } = createRunProgress();
    [start(10), ...finish("a", 1_000), event({ channel: "progress", type: "trial:start", ...ref("b") })].forEach(apply);
    apply(wait("b", 12_000, 2_000));
    expect(renderRegion(state, 2_000, 120, safe)).toEqual([
      "███░░░░░░░░░░░░░░░░░░░░░░░░░░░ 1 passed, 0 failed, 0 errored",
      "  Suite A/b@gpt",
      "1/10 trials · 2 s · 0.5/s · about 18 s left · $0.0100 · waiting 12 s for openai rate limit",
    ]);
  });

  it("is never wider than the terminal", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.string({ unit: "grapheme" }), (columns, name) => {
        const { state, apply } = createRunProgress();
        [start(3), event({ channel: "progress", type: "trial:start", ...ref(name) })].forEach(apply);
        for (const line of renderRegion(state, 1_000, columns, (text) => text.replaceAll("\n", " "))) {
          expect(textWidth(line)).toBeLessThanOrEqual(Math.max(1, columns - 1));
        }
      }),
    );
  });
});

describe("fitWidth", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["abc", 0, ""],
  ])("cuts %s to %i columns", (text, columns, expected) => {
    expect(fitWidth(text, columns)).toBe(expected);
  });
});

import type { RunEventBody } from "@kindlm/core";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import {
  attemptEnd,
  attemptStart,
  caseEnd,
  retryStart,
  runStart,
  stamped,
  trialEnd,
  trialRef,
  trialStart,
} from "../__fixtures__/progress-events.js";
import { createColors } from "../terminal/colors.js";
import { createSigns } from "../terminal/signs.js";
import { textWidth } from "../terminal/text-width.js";
import { renderRegion, type RegionSettings } from "./render-region.js";
import { createRunProgress, Durations } from "./run-progress.js";

const plain: Omit<RegionSettings, "now"> = {
  columns: 80,
  rows: 24,
  colors: createColors(false),
  signs: createSigns({}),
  isStopping: false,
  safe: (text) => text,
};

/** The region at this time, after events at theirs. */
function regionAt(
  now: number,
  events: readonly (readonly [time: number, ...bodies: readonly RunEventBody[]])[],
  changes: Partial<RegionSettings> = {},
): readonly string[] {
  const { state, apply } = createRunProgress();
  for (const [time, ...bodies] of events) for (const body of bodies) apply(stamped({ ...body }, time));
  return renderRegion(state, () => [], { ...plain, now, ...changes });
}

const id = (index: number): string => `s/t${index}@gpt`;
const started = (count: number): readonly RunEventBody[] =>
  Array.from({ length: count }, (_, index) => trialStart(id(index)));
const ended = (count: number, status: "passed" | "failed" | "errored"): readonly RunEventBody[] =>
  Array.from({ length: count }, (_, index) => trialEnd(`${status}${index}`, status));

/** The run of the specification's drawing. */
function drawnRun(): readonly (readonly [number, ...RunEventBody[]])[] {
  const [haggles, refund, angry] = [
    "refunds/haggles@gpt",
    "refunds/full-refund[gamma]@gpt",
    "escalations/angry-customer@gpt",
  ];
  const turn = (caseId: string, trial: number, number: number): RunEventBody => ({
    channel: "progress",
    type: "turn:start",
    turn: number,
    ...trialRef(caseId, trial),
  });
  return [
    [0, runStart(105, { maxCostUsd: 1 }), ...ended(40, "passed"), ...ended(15, "failed"), ...ended(6, "errored")],
    [0, trialEnd("x", "passed", 0.0893), ...[1, 2, 3, 4, 5].map((index) => caseEnd(id(index), "passed"))],
    [0, ...[6, 7, 8].map((index) => caseEnd(id(index), "failed")), caseEnd(id(9), "errored")],
    [4_000, trialStart(haggles, 2), turn(haggles, 2, 9), retryStart(haggles, 20_000, { trial: 2 })],
    [15_000, trialStart(refund, 4), turn(refund, 4, 3)],
    [15_000, { channel: "progress", type: "tool:start", tool: "lookup_order", callId: "c", ...trialRef(refund, 4) }],
    [17_000, trialStart(angry), turn(angry, 1, 1), attemptStart(angry, 1)],
  ];
}

describe("renderRegion", () => {
  it("draws what is specified", () => {
    expect(regionAt(18_000, [...drawnRun(), [18_000, trialStart(id(1))]], { rows: 24 }).slice(0, 5)).toEqual([
      "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸────────────────────  62/105 · about 10 s left",
      "5 passed · 3 failed · 1 errored                  18 s · $0.0893 of $1 · 4 of 8",
      "  14 s  refunds/haggles@gpt #2               turn 9 · openai 429, again in 6 s",
      "   3 s  refunds/full-refund[gamma]@gpt #4    turn 3 · lookup_order",
      "   1 s  escalations/angry-customer@gpt #1    turn 1 · gpt",
    ]);
  });

  it.each([
    [50, 20, 8, 12],
    [14, 20, 8, 12],
    [12, 20, 6, 14],
    [12, 7, 7, 0],
    [11, 20, 2, 18],
    [8, 20, 2, 18],
    [8, 3, 3, 0],
    [7, 20, 0, 0],
    [5, 20, 0, 0],
  ])("in %i rows shows of %i trials %i, and counts %i more", (rows, trials, shown, more) => {
    const lines = regionAt(9_000, [[0, runStart(50), ...started(trials)]], { rows });
    expect(lines.filter((line) => line.includes("#1"))).toHaveLength(shown);
    expect(lines.slice(2 + shown)).toEqual(more === 0 ? [] : [`        and ${more} more`]);
  });

  it("leaves rows to cases that failed alike", () => {
    const { state, apply } = createRunProgress();
    for (const body of [runStart(50), ...started(20)]) apply(stamped(body, 0));
    const lines = renderRegion(state, (room) => [`one ${room}`, "two", "three"], { ...plain, now: 1_000, rows: 12 });
    expect(lines.slice(0, 2)).toEqual(["one 79", "two"]);
    expect(lines).toHaveLength(2 + 2 + 4 + 1);
  });

  it.each([
    [2_900, 50, null],
    [3_000, 4, null],
    [3_000, 5, "about 55 s left"],
    [10_000, 90, "about 5 s left"],
    [60_000, 50, "about 1 min left"],
    [60_000, 25, "about 3 min left"],
    [600_000, 10, "about 1 h 30 min left"],
    [60_000, 100, null],
  ])("after %i ms, with %i of 100 trials done, says: %s", (now, done, left) => {
    const [bar = ""] = regionAt(now, [[0, runStart(100), ...ended(done, "passed")]]);
    expect(/about .*/.exec(bar)?.[0] ?? null).toBe(left);
  });

  it("counts trials of an earlier session as done, and not as fast", () => {
    const carried = Array.from({ length: 90 }, (_, index): RunEventBody => {
      return { channel: "progress", type: "trial:carried", status: "passed", costUsd: 0.001, ...trialRef(`c${index}`) };
    });
    const [bar, facts] = regionAt(10_000, [[0, runStart(100), ...carried, ...ended(5, "passed")]]);
    expect(bar).toContain("95/100 · about 10 s left");
    expect(facts).toContain("$0.0900 ");
  });

  it("says that the run is ending", () => {
    const [bar] = regionAt(10_000, [[0, runStart(100), ...ended(50, "passed")]], { isStopping: true });
    expect(bar).toContain("50/100 · stopping, Ctrl-C again to quit");
  });

  it("shows shares by trial, counters, and slow trials in color, and money as it gets short", () => {
    const colors = createColors(true);
    const run = [0, runStart(100, { maxCostUsd: 0.1 }), ...ended(50, "passed"), ...ended(20, "failed")] as const;
    const events: Parameters<typeof regionAt>[1] = [
      run,
      [0, ...ended(10, "errored"), trialEnd("y", "passed", 0.081), trialStart(id(1)), caseEnd(id(2), "failed")],
      [2_000, trialStart(id(3))],
      [3_000, trialEnd(id(3), "passed")],
      [6_000, trialStart(id(4))],
    ];
    const [bar, facts, slow, quick] = regionAt(6_000, events, { colors });
    expect(bar).toContain(colors.green("━".repeat(26)));
    expect(bar).toContain(colors.red("━".repeat(10)));
    expect(bar).toContain(colors.magenta("━".repeat(5)));
    expect(facts).toContain(`${colors.green("0 passed")} · ${colors.red("1 failed")}`);
    expect(facts).toContain(colors.yellow("$0.0810 of $0.1"));
    expect(slow).toContain(colors.yellow("   6 s"));
    expect(quick?.startsWith("   0 s")).toBe(true);
    const stripped = regionAt(6_000, events, { colors }).map(stripVTControlCharacters);
    expect(stripped).toEqual(regionAt(6_000, events));
  });

  it("has a bar of one length, full at the end, whatever the shares", () => {
    for (let passed = 0; passed <= 37; passed += 1) {
      for (const failed of [0, 1, 5, 37 - passed]) {
        if (passed + failed > 37) continue;
        const [bar = ""] = regionAt(0, [[0, runStart(37), ...ended(passed, "passed"), ...ended(failed, "failed")]]);
        expect(bar.indexOf("  ")).toBe(50);
        if (passed + failed === 37) expect(bar.slice(0, 50)).toBe("━".repeat(50));
      }
    }
  });

  it("needs nothing but ASCII where the locale has nothing else", () => {
    const lines = regionAt(18_000, drawnRun(), { signs: createSigns({ LC_ALL: "C", LANG: "en_US.UTF-8" }) });
    expect(lines.join("")).toMatch(/^[ -~]*$/);
    expect(lines[0]).toMatch(/^=+-+ {2}62\/105 \| about/);
  });

  it.each([40, 45, 60, 80, 200])("fits into %i columns, with the ends of ids", (columns) => {
    const long = "refunds/a-case-with-a-name-that-is-longer-than-any-terminal-is-wide[東京]@gpt";
    const lines = regionAt(70_000, [...drawnRun(), [0, trialStart(long), attemptStart(long, 1)]], { columns });
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(Math.min(79, columns - 1));
    expect(lines.join("\n")).toContain("@gpt #1");
    expect(lines[0]).toContain("62/105");
    expect(lines[1]).toContain("5 passed");
  });

  it("names providers that allow fewer calls than trials run", () => {
    const limit = {
      channel: "progress",
      type: "limiter",
      provider: "openai",
      model: "gpt",
      ratePerSecond: null,
    } as const;
    const cut: RunEventBody = { ...limit, because: "rate_limit", limit: 3, pausedMs: 0 };
    const grown: RunEventBody = { ...limit, because: "growth", limit: 8, pausedMs: 0 };
    expect(regionAt(1_000, [[0, runStart(9), cut]])[1]).toMatch(/0 of 8 · openai 3 at a time$/);
    expect(regionAt(1_000, [[0, runStart(9), cut, grown]])[1]).toMatch(/0 of 8$/);
  });
});

describe("what a trial waits for", () => {
  const one = id(1);
  const ref = trialRef(one);
  const turn: RunEventBody = { channel: "progress", type: "turn:start", turn: 2, ...ref };
  const call = { turn: 2, provider: "openai", model: "gpt", ...ref } as const;
  const queued: RunEventBody = { channel: "progress", type: "queue:start", ...call };
  const left: RunEventBody = { channel: "progress", type: "queue:end", ...call };
  const tool = (name: string): RunEventBody => ({
    channel: "progress",
    type: "tool:start",
    tool: name,
    callId: name,
    ...ref,
  });
  const toolEnd = (name: string): RunEventBody => {
    return { channel: "progress", type: "tool:end", tool: name, callId: name, ok: true, durationMs: 1, ...ref };
  };
  const limiter = { channel: "progress", type: "limiter", limit: 1, ratePerSecond: null } as const;
  const paused: RunEventBody = { ...limiter, provider: "openai", model: "gpt", because: "rate_limit", pausedMs: 6_000 };
  const breaker = (state: "open" | "closed", resetMs: number | null, model: string | null = "gpt"): RunEventBody => {
    return { channel: "monitor", type: "breaker", provider: "openai", model, state, error: null, resetMs };
  };
  const judge = { role: "judge" } as const;

  it.each<[string, readonly RunEventBody[]]>([
    ["starting", []],
    ["turn 2 · agent", [turn]],
    ["turn 2 · gpt", [turn, attemptStart(one, 2)]],
    ["turn 2 · agent", [turn, attemptStart(one, 2), attemptEnd(one, 2)]],
    ["turn 2 · queue", [turn, queued]],
    ["turn 2 · rate limit, 6 s", [turn, queued, paused]],
    ["turn 2 · gpt", [turn, queued, left, attemptStart(one, 2)]],
    ["turn 2 · openai 429, again in 4 s", [turn, retryStart(one, 4_000)]],
    ["turn 2 · retry 2 of 3 in 2 s", [turn, retryStart(one, 1_500, { retry: 2, limited: false })]],
    [
      "turn 2 · circuit open, probe in 20 s",
      [turn, breaker("open", 20_000), retryStart(one, 1_500, { limited: false })],
    ],
    ["turn 2 · circuit open", [turn, breaker("open", null, null), retryStart(one, 1_500, { limited: false })]],
    [
      "turn 2 · retry 1 of 3 in 2 s",
      [turn, breaker("open", 20_000), breaker("closed", null), retryStart(one, 1_500, { limited: false })],
    ],
    ["turn 2 · lookup_order", [turn, tool("lookup_order")]],
    ["turn 2 · lookup_order and 2 more", [turn, tool("lookup_order"), tool("pay"), tool("mail")]],
    ["turn 2 · mail", [turn, tool("lookup_order"), tool("mail"), toolEnd("lookup_order")]],
    ["turn 2 · assertions", [turn, { channel: "progress", type: "evaluation", ...ref }]],
    ["turn 2 · judge gpt", [turn, { channel: "progress", type: "evaluation", ...ref }, attemptStart(one, 1, judge)]],
    ["turn 2 · judge gpt", [turn, attemptStart(one, 1, judge), attemptStart(one, 2, judge), attemptEnd(one, 1)]],
    ["turn 2 · simulated user gpt", [turn, attemptStart(one, 1, { role: "simulated_user" })]],
  ])("%s", (expected, bodies) => {
    const [, , line = ""] = regionAt(0, [[0, runStart(9), trialStart(one), ...bodies]]);
    expect(line).toBe(`   0 s  ${one} #1    ${expected}`);
  });

  it("is not shown of a trial that has ended, or that nobody has seen start", () => {
    expect(
      regionAt(0, [[0, runStart(9), trialStart(one), turn, trialEnd(one, "passed"), attemptStart(one, 2)]]),
    ).toHaveLength(2);
    expect(regionAt(0, [[0, runStart(9), attemptStart(one, 2), trialEnd(one, "errored")]])).toHaveLength(2);
  });
});

describe("Durations", () => {
  it("knows the median to within 5%, of any number", () => {
    const durations = new Durations();
    expect(durations.median()).toBeNull();
    for (let ms = 1; ms <= 20_001; ms += 1) durations.add(ms);
    expect(durations.median()).toBeGreaterThan(10_001);
    expect(durations.median()).toBeLessThan(10_001 * 1.05);
    const equal = new Durations();
    for (const ms of [0, 0, 800]) equal.add(ms);
    expect(equal.median()).toBe(1);
  });
});

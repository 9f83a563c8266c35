import { createRedactor, type RunEventBody } from "@kindlm/core";
import fc from "fast-check";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { draws } from "../../../core/src/__fixtures__/draws.js";
import { createManualClock } from "../../../core/src/__fixtures__/manual-clock.js";
import { fakeEnvironment } from "../__fixtures__/fake-environment.js";
import { openTerminal } from "../__fixtures__/headless-terminal.js";
import {
  attemptStart,
  caseEnd,
  retryStart,
  runEnd,
  runStart,
  stamped,
  trialEnd,
  trialStart,
  wholeCase,
} from "../__fixtures__/progress-events.js";
import { createOutput } from "../sinks/create-output.js";
import { Keys } from "../terminal/keys.js";
import { Screen } from "../terminal/screen.js";
import { openProgress } from "./open-progress.js";

interface World {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  verbose?: boolean;
  secret?: string;
  /** Another program reads stdout. */
  isPiped?: boolean;
}

/** Progress in a terminal of this size, with a clock that advances on request. */
function inTerminal({
  columns = 80,
  rows = 24,
  env = {},
  verbose = false,
  secret = "no-secret-at-all",
  isPiped = false,
}: World = {}) {
  const terminal = openTerminal(columns, rows, env["TERM"] === "linux");
  const clock = createManualClock({ start: 1_000_000 });
  const redactor = createRedactor([secret]);
  const screen = new Screen(() => stderr.columns() ?? 80);
  const stdout = createOutput(terminal.stdout, redactor, screen);
  const stderr = createOutput(terminal.stderr, redactor, screen);
  const stops: { before(): void; after(): void }[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const keyboard = { stream: stdin, isInForeground: () => Promise.resolve(true), signal: () => {} };
  const environment = {
    ...fakeEnvironment({ env: { TERM: "xterm-256color", ...env } }),
    stdout: { ...stdout, isPipe: isPiped },
    stderr,
    redactor,
    clock,
    keys: new Keys(keyboard, () => () => {}),
    onStop: (before: () => void, after: () => void) => {
      stops.push({ before, after });
      return () => {};
    },
  };
  const progress = openProgress(environment, { verbose, color: false });
  const emit = (...bodies: readonly RunEventBody[]): void => {
    for (const body of bodies) progress.onEvent(stamped({ ...body }, clock.now()));
  };
  return { terminal, clock, stdin, stdout, stderr, screen, progress, emit, stops };
}

type Live = ReturnType<typeof inTerminal>;

/** Time that passes with the callbacks of streams in between. */
async function pass({ clock }: Live, ms: number, stepMs = 50): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left));
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits for what other tasks do, a few turns at most. */
async function until(live: Live, holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 50 && !holds(); turn += 1) await pass(live, 1, 1);
}

const isBar = (line: string): boolean => /[━─╸]{5}/.test(line);
const isTrial = (line: string): boolean => /^ +\d+ (s|min).* #\d+ /.test(line) || /^ +and \d+ more$/.test(line);
const isCase = (line: string): boolean => /^[✗!] /.test(line);

describe("the live region", () => {
  it("shows the first frame soon, then ten per second at most, and nothing of it is left at the end", async () => {
    const live = inTerminal();
    live.emit(runStart(1_000));
    expect(live.terminal.writes).toEqual([]);
    for (let index = 0; index < 200; index += 1) {
      live.emit(...wholeCase(`s/t${index}@gpt`, "passed"));
      await pass(live, 10, 10);
    }
    expect(live.terminal.writes.length).toBeGreaterThan(15);
    expect(live.terminal.writes.length).toBeLessThanOrEqual(20);
    expect((await live.terminal.lines()).filter(isBar)).toHaveLength(1);
    live.emit(runEnd);
    await pass(live, 5_000);
    expect(await live.terminal.lines()).toEqual([]);
    expect(await live.terminal.cursor()).toEqual({ line: "", isVisible: true });
  });

  it("writes each frame in one piece, between the marks of synchronized output", async () => {
    const live = inTerminal();
    live.emit(runStart(10), trialStart("s/a@gpt"));
    await pass(live, 3_000);
    live.emit(...wholeCase("s/b@gpt", "failed"), runEnd);
    expect(live.terminal.writes.length).toBeGreaterThan(3);
    for (const write of live.terminal.writes) {
      expect([write.startsWith("\u001b[?2026h"), write.endsWith("\u001b[?2026l")]).toEqual([true, true]);
    }
    expect(live.terminal.writes.join("").match(/2026h/g)).toHaveLength(live.terminal.writes.length);
    expect(live.terminal.writes.join("").match(/\?25l/g)).toHaveLength(1);
  });

  it("writes once per second while only time passes, and nothing if no text is another", async () => {
    const live = inTerminal();
    live.emit(runStart(10), trialStart("s/a@gpt"));
    await pass(live, 10_000);
    expect(live.terminal.writes.length).toBeGreaterThanOrEqual(10);
    expect(live.terminal.writes.length).toBeLessThanOrEqual(11);
    await pass(live, 150);
    const before = live.terminal.writes.length;
    live.emit(attemptStart("s/b@gpt", 1), { channel: "progress", type: "suite:start", suite: "s", cases: 1 });
    await pass(live, 500);
    expect(live.terminal.writes.length).toBe(before);
  });

  it("prints a failure within 100 ms, above the region, in the same write", async () => {
    const live = inTerminal();
    live.emit(runStart(10), trialStart("s/a@gpt"));
    await pass(live, 1_050);
    live.emit(...wholeCase("s/b@gpt", "failed", "it is rude"), ...wholeCase("s/c@gpt", "errored", "it is down"));
    await pass(live, 100);
    const [first, second, ...rest] = await live.terminal.lines();
    expect([first, second]).toEqual(["✗ s/b@gpt            it is rude", "! s/c@gpt            it is down"]);
    expect(rest.filter(isBar)).toHaveLength(1);
    expect(live.terminal.writes.at(-1)).toMatch(/it is rude[^]*it is down[^]*1 failed/);
  });

  it("leaves what others write above it, whichever stream they use", async () => {
    const live = inTerminal();
    live.emit(runStart(10), trialStart("s/a@gpt"));
    await pass(live, 500);
    void live.stderr.write("a warning\n");
    live.terminal.stdout.write("printed by a module\n");
    await pass(live, 2_000);
    const lines = await live.terminal.lines();
    expect(lines.slice(0, 2)).toEqual(["a warning", "printed by a module"]);
    expect(lines.filter(isBar)).toHaveLength(1);
    expect(lines.filter(isTrial)).toHaveLength(1);
  });

  it("gives the terminal back while the process is stopped", async () => {
    const live = inTerminal();
    live.emit(runStart(10), trialStart("s/a@gpt"));
    await pass(live, 500);
    for (const { before } of live.stops) before();
    expect(await live.terminal.cursor()).toEqual({ line: "", isVisible: true });
    expect(await live.terminal.lines()).toEqual([]);
    live.terminal.stderr.write("[1]+  Stopped\n");
    for (const { after } of live.stops) after();
    await pass(live, 200);
    const lines = await live.terminal.lines();
    expect(lines[0]).toBe("[1]+  Stopped");
    expect(lines.filter(isBar)).toHaveLength(1);
  });

  it("shows no secret, not even half of one", async () => {
    const live = inTerminal({ columns: 44, secret: "Sup3rSecretValue" });
    live.emit(runStart(10), trialStart("s/order-of-Sup3rSecretValue-and-more@gpt"));
    await pass(live, 200);
    live.emit(...wholeCase("s/Sup3rSecretValue@gpt", "failed", "said Sup3rSecretValue"));
    await pass(live, 200);
    expect(live.terminal.writes.join("")).not.toMatch(/Sup3r|tValue/);
    expect(live.terminal.writes.join("")).toContain("[redacted]");
  });

  it("survives a terminal that is gone", async () => {
    const live = inTerminal();
    live.emit(runStart(10), trialStart("s/a@gpt"));
    await pass(live, 200);
    live.terminal.stderr.destroy(new Error("write EIO"));
    await pass(live, 3_000);
    expect(() => live.emit(...wholeCase("s/b@gpt", "failed"), runEnd)).not.toThrow();
  });

  it("has fewer frames on a terminal that is slow, and the last of them", async () => {
    const live = inTerminal();
    const held: (() => void)[] = [];
    const draw = live.stderr.draw.bind(live.stderr);
    let isSlow = false;
    live.stderr.draw = async (above, kept) => {
      await draw(above, kept);
      if (isSlow) await new Promise<void>((resolve) => held.push(resolve));
    };
    live.emit(runStart(100));
    await pass(live, 100);
    isSlow = true;
    for (let index = 0; index < 50; index += 1) {
      live.emit(...wholeCase(`s/t${index}@gpt`, "passed"));
      await pass(live, 50);
    }
    expect(live.terminal.writes.length).toBeLessThanOrEqual(2);
    isSlow = false;
    for (const release of held) release();
    await pass(live, 200);
    expect((await live.terminal.lines()).join("\n")).toContain("50 passed");
  });
});

describe("cases that fail alike", () => {
  const alike = (count: number): readonly RunEventBody[] =>
    Array.from({ length: count }, (_, index) => wholeCase(`s/t${index}@gpt`, "errored", "it is down")).flat();

  it("have a line each up to five, and one that counts them at the end of the terminal", async () => {
    const live = inTerminal();
    live.emit(runStart(100), trialStart("s/a@gpt"), ...alike(60));
    await pass(live, 200);
    const during = await live.terminal.lines();
    expect(during.filter(isCase)).toHaveLength(6);
    expect(during[5]).toBe("! 60 cases   it is down   last s/t59@gpt");
    expect(during[6]).toMatch(isBar(during[6] ?? "") ? /./ : /^$/);
    live.emit(...wholeCase("s/other@gpt", "failed", "it is rude"), runEnd);
    await pass(live, 200);
    expect((await live.terminal.lines()).slice(5)).toEqual([
      "✗ s/other@gpt            it is rude",
      "! 60 cases   it is down   last s/t59@gpt",
    ]);
  });

  it("have a line each if every case has one", async () => {
    const live = inTerminal({ verbose: true });
    live.emit(runStart(100), ...alike(20), runEnd);
    expect((await live.terminal.lines()).filter(isCase)).toHaveLength(20);
  });

  it("are counted where no line can be redrawn each time their number has doubled", async () => {
    const live = inTerminal({ env: { TERM: "dumb" } });
    live.emit(runStart(100), ...alike(60), runEnd);
    const lines = await live.terminal.lines();
    expect(lines).toHaveLength(5 + 4);
    expect(lines.slice(5).map((line) => /\d+/.exec(line)?.[0])).toEqual(["10", "20", "40", "60"]);
  });

  it("are those with any further reason, after 200 different ones", async () => {
    const each = Array.from({ length: 2_000 }, (_, index) =>
      wholeCase(`s/t${index}@gpt`, "failed", `it said ${index}`),
    );
    const live = inTerminal({ env: { TERM: "dumb" }, columns: 60 });
    live.emit(runStart(2_000), ...each.flat(), runEnd);
    const lines = await live.terminal.lines();
    expect(lines[204]).toBe("✗ s/t204@gpt            it said 204");
    expect(lines.slice(205, 207)).toEqual([
      "✗ 10 cases   another reason   last s/t209@gpt",
      "✗ 20 cases   another reason   last s/t219@gpt",
    ]);
    expect(lines.at(-1)).toBe("✗ 1,800 cases   another reason   last s/t1999@gpt");
    expect(lines).toHaveLength(200 + 5 + 9);
  });

  it("keep their reasons where they are after an id that is longer than all others", async () => {
    const live = inTerminal({ env: { TERM: "dumb" } });
    const ids = ["a", "long".repeat(1_000), "b"];
    live.emit(runStart(3), ...ids.flatMap((id) => wholeCase(`s/${id}@gpt`, "failed", "it is rude")), runEnd);
    const lines = await live.terminal.lines();
    expect(lines[1]).toMatch(/^✗ s\/long.*….*@gpt {12}it is rude$/);
    expect([lines[0], lines[2]]).toEqual(["✗ s/a@gpt            it is rude", "✗ s/b@gpt            it is rude"]);
  });
});

describe("where lines cannot be redrawn", () => {
  it.each<World>([{ env: { TERM: "dumb" } }, { env: { CI: "true" } }, { rows: 4 }, { columns: 39 }])(
    "prints lines alone: %j",
    async (world) => {
      const live = inTerminal(world);
      live.emit(runStart(105, { maxCostUsd: 1 }), trialStart("s/a@gpt"));
      for (let index = 0; index < 31; index += 1) live.emit(trialEnd(`s/t${index}@gpt`, "passed", 0.002));
      for (const index of [1, 2, 3, 4, 5, 6]) live.emit(caseEnd(`s/t${index}@gpt`, "passed"));
      live.emit(
        caseEnd("s/b@gpt", "failed", { reason: "it is rude" }),
        caseEnd("s/c@gpt", "failed", { reason: "it is late" }),
      );
      live.emit(caseEnd("s/d@gpt", "errored", { reason: "it is down" }));
      expect((await live.terminal.lines()).filter(isCase).map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
        "✗ s/b@gpt",
        "✗ s/c@gpt",
        "! s/d@gpt",
      ]);
      await pass(live, 29_900, 500);
      expect(await live.terminal.lines()).toHaveLength(3);
      await pass(live, 100);
      const [counter = ""] = (await live.terminal.lines()).slice(3);
      expect(counter).toContain("31/105 trials   6 passed · 2 failed · 1 errored   0 min 30 s");
      await pass(live, 60_000, 500);
      expect(await live.terminal.lines()).toHaveLength(3 + 3);
      live.emit(runEnd);
      expect(await live.terminal.lines()).toHaveLength(3 + 3);
      expect(live.terminal.writes.join("")).not.toContain("\u001b");
    },
  );

  it("draws the line of counters as it is specified", async () => {
    const live = inTerminal({ env: { CI: "true" } });
    live.emit(runStart(105), trialEnd("s/t@gpt", "passed", 0.0611));
    for (let index = 1; index < 31; index += 1) live.emit(trialEnd(`s/t${index}@gpt`, "passed"));
    for (const status of ["failed", "failed", "errored"] as const) live.emit(caseEnd(`s/${status}@gpt`, status));
    for (let index = 0; index < 6; index += 1) live.emit(caseEnd(`s/t${index}@gpt`, "passed"));
    await pass(live, 30_000, 1_000);
    expect((await live.terminal.lines()).at(-1)).toBe(
      "  31/105 trials   6 passed · 2 failed · 1 errored   0 min 30 s          $0.0611",
    );
  });

  it("says when it waits long, and not for every call that waits", async () => {
    const live = inTerminal({ env: { CI: "true" } });
    live.emit(runStart(10), trialStart("s/a@gpt"), retryStart("s/a@gpt", 4_000));
    expect(await live.terminal.lines()).toEqual([]);
    for (const name of ["b", "c", "d"]) live.emit(trialStart(`s/${name}@gpt`), retryStart(`s/${name}@gpt`, 12_000));
    expect(await live.terminal.lines()).toEqual(["  waiting 12 s for openai rate limit"]);
  });

  it("does not say that it waits for a limit when the call that met it is the only one, and is not tried again", async () => {
    const limit = { channel: "progress", type: "limiter", provider: "openai", model: "m", limit: 1 } as const;
    const paused: RunEventBody = { ...limit, because: "rate_limit", ratePerSecond: null, pausedMs: 30_000 };
    const live = inTerminal({ env: { CI: "true" } });
    live.emit(runStart(2), trialStart("s/a@gpt"), paused);
    expect(await live.terminal.lines()).toEqual([]);
    live.emit(trialStart("s/b@gpt"), paused);
    expect(await live.terminal.lines()).toEqual(["  waiting 30 s for openai rate limit"]);
  });

  it("prints a line per case when verbose", async () => {
    const live = inTerminal({ env: { CI: "true" }, verbose: true });
    const nudges = { count: 2, trials: 2 };
    live.emit(runStart(2), ...wholeCase("s/a@gpt", "passed"));
    live.emit(caseEnd("s/b@gpt", "passed", { runs: 5, passes: 4, nudges }));
    expect(await live.terminal.lines()).toEqual([
      "✓ s/a@gpt            812 ms",
      "✓ s/b@gpt   4 of 5   812 ms, after 2 nudges in 2 of 5 runs",
    ]);
  });
});

describe("the key t", () => {
  /** The lines after `t` was pressed while twelve trials run. */
  async function pressed(world: World): Promise<readonly string[]> {
    const live = inTerminal(world);
    live.emit(runStart(20), ...Array.from({ length: 12 }, (_, index) => trialStart(`s/t${index}@gpt`)));
    await until(live, () => live.stdin.listenerCount("keypress") > 0);
    live.stdin.write("xt");
    await pass(live, 300);
    return live.terminal.lines();
  }
  const isTrialOf = (line: string): boolean => /s\/t\d+@gpt #1 +starting$/.test(line);

  it("lists all running trials above the region", async () => {
    const lines = await pressed({});
    expect(lines[0]).toBe("  0/20 trials   0 passed   0 min 0 s");
    expect(lines.slice(1, 13).filter(isTrialOf)).toHaveLength(12);
    expect(isBar(lines[13] ?? "")).toBe(true);
  });

  it("lists them where lines cannot be redrawn", async () => {
    expect((await pressed({ env: { TERM: "dumb" } })).filter(isTrialOf)).toHaveLength(12);
  });

  it("is left to a pager that reads the report", async () => {
    expect((await pressed({ isPiped: true })).filter(isTrialOf)).toHaveLength(8);
  });
});

/** Trials that start, wait and end at random, with a step between two looks at the terminal. */
function* randomRun(random: () => number): Generator<readonly RunEventBody[], never> {
  yield [runStart(10_000)];
  const running: string[] = [];
  for (let number = 0; ; number += 1) {
    const id = `suite-${number % 7}/case-${number}[${"x".repeat(Math.floor(random() * 30))}]@gpt`;
    running.push(id);
    const bodies: RunEventBody[] = [trialStart(id), attemptStart(id, 1 + (number % 9))];
    if (running.length > 3 + Math.floor(random() * 6)) {
      const ended = running.shift() ?? id;
      const status = random() < 0.3 ? "failed" : random() < 0.2 ? "errored" : "passed";
      bodies.push(trialEnd(ended, status, 0.001), caseEnd(ended, status, { reason: `number ${number}` }));
    }
    yield bodies;
  }
}

/** Deterministic numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Every line of a case that was printed, once and in order; the text of a line may be wrapped and cut. */
function caseNumbers(lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    isCase(line) ? [/number (\d+)/.exec(line)?.[1] ?? /case-(\d+)/.exec(line)?.[1] ?? line] : [],
  );
}

describe("a terminal of any size", () => {
  it("shows no line twice and none that is old, from 3 to 50 rows", async () => {
    const random = createRandom(7);
    for (const columns of [39, 40, 80, 132]) {
      for (const rows of [3, 4, 5, 7, 8, 11, 12, 24, 50]) {
        const live = inTerminal({ columns, rows });
        const events = randomRun(random);
        for (let step = 0; step < 8; step += 1) {
          live.emit(...events.next().value);
          await pass(live, 150, 150);
        }
        const lines = await live.terminal.lines();
        const hasRegion = columns >= 40 && rows >= 5;
        expect(lines.filter(isBar), `${columns}x${rows}`).toHaveLength(hasRegion ? 1 : 0);
        const most = rows >= 12 ? Math.min(8, rows - 6) + 1 : rows >= 8 ? 3 : 0;
        expect(lines.filter(isTrial).length, `${columns}x${rows}`).toBeLessThanOrEqual(hasRegion ? most : 0);
        expect((await live.terminal.cursor()).line).toBe("");
      }
    }
  });

  it.each(["xterm-256color", "linux"])(
    "is cleared in the rows that its lines take in another width: %s",
    async (TERM) => {
      const live = inTerminal({ columns: 100, rows: 40, env: { TERM } });
      const events = randomRun(createRandom(11));
      for (let step = 0; step < 8; step += 1) live.emit(...events.next().value);
      await pass(live, 200);
      for (const columns of [45, 100, 41, 64]) {
        await live.terminal.resize(columns, 40);
        await pass(live, 150);
        const lines = await live.terminal.lines();
        expect(lines.filter(isBar)).toHaveLength(1);
        expect(lines.filter(isTrial).length).toBeLessThanOrEqual(9);
        expect(caseNumbers(lines).length).toBeGreaterThan(0);
      }
      live.emit(runEnd);
      expect((await live.terminal.lines()).every(isCase)).toBe(true);
    },
  );

  it("loses no line above and leaves none that is old, through random resizes", async () => {
    const resizes = draws({ brief: 80, full: 200 });
    const random = createRandom(3);
    const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
    const live = inTerminal({ columns: 120, rows: 30 });
    const events = randomRun(random);
    let printed = 0;
    for (let resize = 0; resize < resizes; resize += 1) {
      const bodies = events.next().value;
      printed += bodies.filter((body) => body.type === "case:end" && body.result.status !== "passed").length;
      live.emit(...bodies);
      if (random() < 0.5) await pass(live, between(1, 4) * 50);
      await live.terminal.resize(between(80, 200), between(12, 50));
      if (random() < 0.2) await live.terminal.resize(between(80, 200), between(12, 50));
      await pass(live, between(1, 4) * 50);
      if (resize % 20 > 0) continue;
      await pass(live, 200);
      const lines = await live.terminal.lines();
      expect(lines.filter(isBar)).toHaveLength(1);
      expect(lines.filter(isTrial).length).toBeLessThanOrEqual(9);
      expect(caseNumbers(lines)).toHaveLength(printed);
    }
    expect(printed).toBeGreaterThan(resizes / 8);
    live.emit(runEnd);
    const lines = await live.terminal.lines();
    expect(lines.filter((line) => isBar(line) || isTrial(line))).toEqual([]);
    expect(new Set(caseNumbers(lines)).size).toBe(printed);
    expect(lines).toHaveLength(printed);
  });

  it("loses no line above at any size", async () => {
    const resizes = draws({ brief: 80, full: 200 });
    const random = createRandom(5);
    const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
    const live = inTerminal({ columns: 100, rows: 20 });
    const events = randomRun(random);
    let printed = 0;
    for (let resize = 0; resize < resizes; resize += 1) {
      const bodies = events.next().value;
      printed += bodies.filter((body) => body.type === "case:end" && body.result.status !== "passed").length;
      live.emit(...bodies);
      await live.terminal.resize(between(20, 160), between(3, 50));
      await pass(live, between(1, 4) * 50);
    }
    live.emit(runEnd);
    expect(new Set(caseNumbers(await live.terminal.lines())).size).toBe(printed);
  });
});

it("writes whole lines that fit, whatever the names", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 140 }),
      fc.integer({ min: 1, max: 30 }),
      fc.string({ unit: "grapheme" }),
      async (columns, rows, name) => {
        const live = inTerminal({ columns, rows });
        live.emit(runStart(3), trialStart(`s/${name}@gpt`), attemptStart(`s/${name}@gpt`, 1));
        await pass(live, 1_200, 600);
        live.emit(runEnd);
        expect(await live.terminal.lines()).toEqual([]);
      },
    ),
    { numRuns: draws({ brief: 15, full: 200 }) },
  );
});

import { describe, expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { createRandom } from "../../values/random.js";
import { createRateLimitedServer, type Counting } from "./__fixtures__/rate-limited-server.js";
import { simulateRun, type SimulatedRun } from "./__fixtures__/simulate-run.js";

const perSecond = 20;
const cases = 400;

const exact = (waitMs: number): number => Math.ceil(waitMs);
const wholeSeconds = (waitMs: number): number => Math.ceil(waitMs / 1_000) * 1_000;
const none = (): null => null;
const hints = { exact, wholeSeconds, none };

const run = (more: Partial<SimulatedRun>) =>
  simulateRun({
    cases,
    concurrency: 20,
    latencyMs: 50,
    refusalMs: 20,
    hint: exact,
    server: createRateLimitedServer("fixed window", perSecond),
    ...more,
  });

/** The last answer cannot come before all have begun and the last of them has taken its time. */
const idealMs = (latencyMs: number, concurrency: number): number =>
  Math.max((cases / perSecond) * 1_000, (cases * latencyMs) / concurrency) + latencyMs;

const servers: [Counting, number][] = [
  ["fixed window", 0],
  ["fixed window", 300],
  ["fixed window", 700],
  ["sliding window", 0],
  ["token bucket", 0],
];
/** `pnpm test` takes each fifth: every server, and every combination of the rest, as their number is not divided by 5. */
const step = draws({ brief: 5, full: 1 });
const rows = servers
  .flatMap(([counting, phaseMs]) =>
    [1, 50, 500, 2_000].flatMap((latencyMs) =>
      [8, 20, 50].flatMap((concurrency) =>
        (["exact", "wholeSeconds"] as const).map((hint) => ({ counting, phaseMs, latencyMs, concurrency, hint })),
      ),
    ),
  )
  .filter((_row, index) => index % step === 0);
const beginnings = servers
  .flatMap(([counting, phaseMs]) =>
    [200, 400].flatMap((count) => [1, 20, 50].map((refusalMs) => ({ counting, phaseMs, count, refusalMs }))),
  )
  .filter((_row, index) => index % step === 0);

describe("400 cases on a server that lets 20 through per second", () => {
  it.each(rows)(
    "$counting from $phaseMs ms, answers after $latencyMs ms, concurrency $concurrency, hints $hint",
    async ({ counting, phaseMs, latencyMs, concurrency, hint }) => {
      const outcome = await run({
        latencyMs,
        concurrency,
        refusalMs: Math.min(latencyMs, 20),
        hint: hints[hint],
        server: createRateLimitedServer(counting, perSecond, { phaseMs }),
      });
      expect(outcome.passed).toBe(cases);
      expect(outcome.refused / outcome.starts.length).toBeLessThan(0.1);
      expect(outcome.wallMs / idealMs(latencyMs, concurrency)).toBeLessThan(1.3);
    },
  );

  it.each([1, 50])("without any hint, answers after %i ms", async (latencyMs) => {
    const outcome = await run({ latencyMs, refusalMs: latencyMs, hint: none });
    expect(outcome.passed).toBe(cases);
    expect(outcome.refused / outcome.starts.length).toBeLessThan(0.1);
    expect(outcome.wallMs / idealMs(latencyMs, 20)).toBeLessThan(1.4);
  });

  it.each(["exact", "wholeSeconds"] as const)("refusals that take as long as answers, hints %s", async (hint) => {
    const outcome = await run({ latencyMs: 500, refusalMs: 500, hint: hints[hint] });
    expect(outcome.passed).toBe(cases);
    expect(outcome.refused / outcome.starts.length).toBeLessThan(0.1);
    expect(outcome.wallMs / idealMs(500, 20)).toBeLessThan(1.3);
  });

  it("a bucket of 5 makes a first estimate that is far too low, and is found out", async () => {
    const outcome = await run({ server: createRateLimitedServer("token bucket", perSecond, { capacity: 5 }) });
    expect(outcome.passed).toBe(cases);
    expect(outcome.wallMs / idealMs(50, 20)).toBeLessThan(1.4);
  });
});

/** Calls under way when the last of `starts` until `at` began, on a server that answers after `latencyMs`. */
function underWay(starts: readonly number[], at: number, latencyMs: number): number {
  return starts.filter((start) => start <= at && start + latencyMs > at).length;
}

describe("the start of a run at concurrency 50", () => {
  it.each([
    [50, 100],
    [500, 1_200],
    [5_000, 1_200],
  ])("is at full speed soon where answers take %i ms and nothing is refused", async (latencyMs, soonMs) => {
    const server = { ask: () => null };
    const settings = { expectedCalls: 400 };
    const { starts, wallMs } = await run({ cases: 1_000, concurrency: 50, settings, latencyMs, server, startAt: 600 });
    const at = starts.find((start) => underWay(starts, start, latencyMs) === 50);
    expect((at ?? Number.POSITIVE_INFINITY) - 600).toBeLessThan(soonMs);
    expect(wallMs / ((1_000 / 50) * latencyMs)).toBeLessThan(1.055);
  });

  it.each(beginnings)(
    "costs few requests: $count cases, $counting from $phaseMs ms, refusals after $refusalMs ms",
    async ({ counting, phaseMs, count, refusalMs }) => {
      const server = createRateLimitedServer(counting, perSecond, { phaseMs });
      const outcome = await run({ cases: count, concurrency: 50, refusalMs, server, startAt: 600 });
      expect(outcome.passed).toBe(count);
      expect(outcome.refused / outcome.starts.length).toBeLessThan(refusalMs > 20 ? 0.08 : 0.06);
      expect(outcome.wallMs / ((count / perSecond) * 1_000)).toBeLessThan(1.15);
    },
  );

  it.each([20, 60])(
    "costs few of 1,000 requests where all 50 begin at once and %i per second are let through",
    async (rate) => {
      const server = createRateLimitedServer("sliding window", rate);
      const outcome = await run({ cases: 1_000, concurrency: 50, refusalMs: 50, server });
      expect(outcome.starts.filter((start) => start === outcome.starts[0])).toHaveLength(50);
      expect(outcome.passed).toBe(1_000);
      expect(outcome.refused / outcome.starts.length).toBeLessThan(0.07);
      expect(outcome.wallMs / ((1_000 / rate) * 1_000)).toBeLessThan(1.15);
    },
  );

  it.each(["sliding window", "token bucket"] as const)(
    "finds the pace of a %s that gets them irregularly",
    async (counting) => {
      const outcomes = Array.from({ length: draws({ brief: 5, full: 15 }) }, async (_, seed) => {
        const random = createRandom(seed);
        const server = createRateLimitedServer(counting, perSecond);
        const outcome = await run({ cases: 200, concurrency: 50, refusalMs: 5, server, delayMs: () => random() * 20 });
        return { ...outcome, waste: outcome.refused / outcome.starts.length };
      });
      for (const { waste, wallMs } of await Promise.all(outcomes)) {
        expect(waste).toBeLessThan(0.06);
        expect(wallMs / 10_000).toBeLessThan(1.15);
      }
    },
  );

  it("costs few requests where a limit per minute is set that allows more", async () => {
    const settings = { requestsPerMinute: 60 * perSecond, tokensPerMinute: null };
    const outcome = await run({ cases: 200, concurrency: 50, settings });
    expect(outcome.refused / outcome.starts.length).toBeLessThan(0.05);
  });
});

/** A server that lets another number through from a time on. */
function changing(first: number, second: number, atMs: number): SimulatedRun["server"] {
  const [earlier, later] = [first, second].map((rate) => createRateLimitedServer("sliding window", rate));
  return { ask: (now, lane) => (now < atMs ? earlier : later)?.ask(now, lane) ?? null };
}

describe("a server that refuses at random, however slowly it is asked", () => {
  it.each([
    [8, 0.3],
    [50, 0.3],
    [8, 0.1],
  ])("is not slowed down for without end: concurrency %i, share %d", async (concurrency, share) => {
    const random = createRandom(7);
    const server = { ask: () => (random() < share ? 50 : null) };
    const outcome = await run({ cases: 300, concurrency, latencyMs: 400, refusalMs: 100, attempts: 12, server });
    expect(outcome.passed).toBe(300);
    // To slow down for each refusal would take a quarter of an hour.
    expect(outcome.wallMs).toBeLessThan(170_000);
  });
});

describe("a limit that changes in the middle", () => {
  it("falls to a quarter", async () => {
    const outcome = await run({ server: changing(20, 5, 10_000) });
    expect(outcome.passed).toBe(cases);
    expect(outcome.refused / outcome.starts.length).toBeLessThan(0.1);
    // 200 in the first 10 s, the other 200 at 5 per second.
    expect(outcome.wallMs).toBeLessThan(50_000 * 1.3);
  });

  it("rises tenfold, is found, and the pace is dropped when it no longer binds", async () => {
    const outcome = await run({ cases: 3_000, latencyMs: 200, server: changing(10, 100, 10_000) });
    expect(outcome.passed).toBe(3_000);
    // At 10 per second it would take 300 s; 20 at a time with 200 ms make 100 per second.
    expect(outcome.wallMs).toBeLessThan(65_000);
  });

  it("goes away, and so does the pace", async () => {
    const outcome = await run({ cases: 5_000, latencyMs: 200, server: changing(10, 1_000, 5_000) });
    expect(outcome.limiter.settled.lanes).toMatchObject([{ lane: "m", ratePerSecond: null }]);
  });
});

describe("several lanes of which one is limited", () => {
  it("leaves the other at its full speed", async () => {
    const limited = createRateLimitedServer("token bucket", 2);
    let asked = 0;
    const ends: Record<string, number> = {};
    const outcome = await run({
      cases: 220,
      concurrency: 40,
      latencyMs: 100,
      lane: (index) => (index % 11 === 0 ? "limited" : "free"),
      attempts: 5,
      server: {
        ask: (now, lane) => {
          asked += 1;
          ends[lane] = now;
          return lane === "limited" ? limited.ask(now, lane) : null;
        },
      },
    });
    expect(outcome.passed).toBe(220);
    expect(asked).toBe(220 + outcome.refused);
    // 200 calls of 100 ms each, never less than 16 at a time.
    expect(ends["free"]).toBeLessThan(4_000);
    expect(outcome.limiter.settled.lanes.map(({ lane }) => lane)).toEqual(["limited"]);
  });
});

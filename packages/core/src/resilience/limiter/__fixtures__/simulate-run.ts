import { createManualClock } from "../../../__fixtures__/manual-clock.js";
import { Limiter } from "../limiter.js";
import type { LimiterSettings } from "../limiter-settings.js";
import type { RateLimitedServer } from "./rate-limited-server.js";

export interface SimulatedRun {
  cases: number;
  concurrency: number;
  latencyMs: number;
  /** How long a refusal takes. */
  refusalMs: number;
  /** What the refusal says, from what the server knows, milliseconds. */
  hint: (waitMs: number) => number | null;
  server: RateLimitedServer;
  attempts?: number;
  settings?: Partial<LimiterSettings>;
  lane?: (index: number) => string;
  /** When the first calls are made, on a clock that began before. */
  startAt?: number;
  /** How long a request is under way before the server counts it. */
  delayMs?: () => number;
}

export interface SimulatedOutcome {
  passed: number;
  refused: number;
  wallMs: number;
  mostAttempts: number;
  limiter: Limiter;
  starts: number[];
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Cases as the engine runs them: `concurrency` at a time, each asking again after a hint, on a clock of its own. */
export async function simulateRun(run: SimulatedRun): Promise<SimulatedOutcome> {
  const startAt = run.startAt ?? 0;
  const clock = createManualClock({ start: startAt });
  const settings = { requestsPerMinute: null, tokensPerMinute: null, ...run.settings };
  const limiter = new Limiter({ concurrency: run.concurrency, expectedCalls: run.cases, ...settings }, clock);
  const starts: number[] = [];
  let [taken, passed, refused, mostAttempts, finished] = [0, 0, 0, 0, 0];

  const runCase = async (index: number, signal: AbortSignal): Promise<void> => {
    const lane = run.lane?.(index) ?? "m";
    for (let attempt = 1; attempt <= (run.attempts ?? 3); attempt += 1) {
      mostAttempts = Math.max(mostAttempts, attempt);
      const hint = await limiter.run(lane, 1, signal, async (call) => {
        starts.push(clock.monotonic());
        if (run.delayMs !== undefined) await clock.sleep(run.delayMs());
        const waitMs = run.server.ask(clock.monotonic(), lane);
        await clock.sleep(waitMs === null ? run.latencyMs : run.refusalMs);
        if (waitMs === null) {
          limiter.succeeded(call, null);
          return { waitMs: null };
        }
        refused += 1;
        limiter.rateLimited(call, run.hint(waitMs));
        return { waitMs: run.hint(waitMs) ?? 1_000 * 2 ** (attempt - 1) };
      });
      if (hint === null) return;
      if (hint.waitMs === null) {
        passed += 1;
        return;
      }
      await clock.sleep(hint.waitMs);
    }
  };
  const worker = async (): Promise<void> => {
    const { signal } = new AbortController();
    while (taken < run.cases) {
      taken += 1;
      await runCase(taken, signal);
    }
    finished += 1;
  };
  for (let index = 0; index < run.concurrency; index += 1) void worker();
  for (;;) {
    await settle();
    if (finished === run.concurrency) break;
    if (!clock.advanceToNext()) throw new Error("nothing goes on");
  }
  return { passed, refused, wallMs: clock.monotonic() - startAt, mostAttempts, limiter, starts };
}

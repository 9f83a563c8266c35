import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import { Limiter } from "./limiter.js";
import type { LimitedCall } from "./lane.js";
import type { LimiterChange, LimiterSettings } from "./limiter-settings.js";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A limiter whose calls end when they are told to. */
function open(settings: Partial<LimiterSettings> = {}) {
  const clock = createManualClock();
  const changes: LimiterChange[] = [];
  const onChange = (change: LimiterChange): number => changes.push(change);
  const unlimited = { concurrency: 2, expectedCalls: 2, requestsPerMinute: null, tokensPerMinute: null };
  const limiter = new Limiter({ ...unlimited, onChange, ...settings }, clock);
  const begun: string[] = [];
  const running = new Map<string, { call: LimitedCall; end: (text: string) => void; fail: (error: Error) => void }>();
  const ask = (name: string, { lane = "m", tokens = 1, signal = new AbortController().signal } = {}) =>
    limiter.run(lane, tokens, signal, (call) => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        running.set(name, { call, end: resolve, fail: reject });
      });
    });
  const get = (name: string) => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} has not begun`);
    return found;
  };
  const end = async (name: string, usedTokens: number | null = null): Promise<void> => {
    limiter.succeeded(get(name).call, usedTokens);
    get(name).end(name);
    await settle();
  };
  const refuse = async (name: string, hintMs: number | null): Promise<void> => {
    limiter.rateLimited(get(name).call, hintMs);
    get(name).end(`${name} refused`);
    await settle();
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { limiter, clock, changes, begun, ask, end, refuse, pass, get };
}

describe("a wait", () => {
  it("is known with its begin and its reason", async () => {
    const { ask, end, refuse, pass, get } = open({ concurrency: 1 });
    void ask("a");
    void ask("room");
    await pass(40);
    await end("a");
    expect(get("a").call).toMatchObject({ queuedAt: null, isHeldBack: false });
    expect(get("room").call).toMatchObject({ queuedAt: 0, at: 40, isHeldBack: false });
    void ask("behind");
    await refuse("room", 500);
    await pass(500);
    expect(get("behind").call).toMatchObject({ queuedAt: 40, at: 540, isHeldBack: true });
    const perMinute = open({ concurrency: 8, requestsPerMinute: 1 });
    void perMinute.ask("a");
    void perMinute.ask("b");
    await perMinute.pass(61_000);
    expect(perMinute.get("b").call).toMatchObject({ queuedAt: 0, isHeldBack: true });
  });

  it("for a limit per minute is told once, and not where it is short", async () => {
    const { ask, changes, clock } = open({ concurrency: 8, requestsPerMinute: 1 });
    const calls = [ask("a"), ask("b"), ask("c")];
    await settle();
    expect(changes).toMatchObject([{ because: "waiting", lane: "m", pausedMs: expect.any(Number) as number }]);
    expect(changes[0]?.pausedMs).toBeGreaterThan(59_000);
    clock.advance(30_000);
    await settle();
    expect(changes).toHaveLength(1);
    expect(calls).toHaveLength(3);
    const quick = open({ concurrency: 8, requestsPerMinute: 1_000_000 });
    void quick.ask("a");
    await settle();
    expect(quick.changes).toEqual([]);
  });
});

describe("Limiter", () => {
  it.each([
    ["m", [null, null], ["a", "b", "x"]],
    [null, [null, null, null], ["a", "b"]],
  ] as const)("ends the waits of lane %s when it is told to", async (lane, answers, begun) => {
    const { limiter, begun: began, ask, end } = open();
    const running = [ask("a"), ask("b")];
    const waiting = [ask("c"), ask("d"), ask("x", { lane: "other" })];
    limiter.release(lane);
    expect(await Promise.all(waiting.slice(0, answers.length))).toEqual(answers);
    await end("a");
    await end("b");
    expect(began).toEqual(begun);
    expect(await Promise.all(running)).toEqual(["a", "b"]);
  });

  it("runs no more than allowed, the others in the order they came", async () => {
    const { begun, ask, end } = open();
    const answers = ["a", "b", "c", "d"].map((name) => ask(name));
    await settle();
    expect(begun).toEqual(["a", "b"]);
    await end("b");
    expect(begun).toEqual(["a", "b", "c"]);
    await end("a");
    await end("c");
    await end("d");
    expect(await Promise.all(answers)).toEqual(["a", "b", "c", "d"]);
  });

  it("hands a rejection to its own caller and goes on", async () => {
    const { ask, get, begun } = open({ concurrency: 1 });
    const [first, second, third] = [ask("a"), ask("b"), ask("c")];
    await settle();
    get("a").fail(new Error("broken"));
    await expect(first).rejects.toThrow("broken");
    await settle();
    get("b").fail(new Error("broken too"));
    await expect(second).rejects.toThrow("broken too");
    await settle();
    expect(begun).toEqual(["a", "b", "c"]);
    get("c").end("c");
    expect(await third).toBe("c");
  });

  it("takes turns between lanes, first come first served within one", async () => {
    const { begun, ask, end } = open({ concurrency: 1 });
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void ask(name, { lane: name.slice(0, 1) });
    await settle();
    for (let count = 0; count < 6; count += 1) await end(begun.at(-1) ?? "");
    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
  });

  it("pauses the lane that was refused until its hint ends, and no other", async () => {
    const { begun, ask, refuse, end, pass } = open({ concurrency: 3 });
    for (const name of ["a1", "a2", "a3", "a4"]) void ask(name, { lane: "a" });
    void ask("b1", { lane: "b" });
    await settle();
    await refuse("a1", 3_000);
    await end("a2");
    expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
    await end("a3");
    await pass(2_999);
    expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
    await pass(1);
    expect(begun).toEqual(["a1", "a2", "a3", "b1", "a4"]);
  });

  it("is not shortened by a later, shorter hint", async () => {
    const { begun, ask, refuse, pass } = open();
    for (const name of ["a", "b", "c"]) void ask(name);
    await settle();
    await pass(2_000);
    await refuse("a", 5_000);
    await refuse("b", 10);
    await pass(4_999);
    expect(begun).toEqual(["a", "b"]);
    await pass(1);
    expect(begun).toEqual(["a", "b", "c"]);
  });

  it("spaces the starts after a refusal instead of starting all at once", async () => {
    const { begun, ask, refuse, pass, end } = open({ concurrency: 10 });
    for (let index = 0; index < 14; index += 1) void ask(`c${index}`);
    await settle();
    for (let index = 0; index < 4; index += 1) await end(`c${index}`);
    for (let index = 4; index < 10; index += 1) await refuse(`c${index}`, 1_500);
    expect(begun).toHaveLength(14);
    for (let index = 0; index < 6; index += 1) void ask(`d${index}`);
    await pass(1_500);
    expect(begun).toHaveLength(15);
    await pass(50);
    expect(begun).toHaveLength(15);
    // Eight were let through in the 1.5 s until the hint ended, so about five begin in a second.
    for (let step = 0; step < 4; step += 1) await pass(100);
    expect(begun).toHaveLength(17);
  });

  it("gives null at once when a waiting call is aborted, in a pause too, and lets no timer stand", async () => {
    const { ask, refuse, begun, clock, end } = open({ concurrency: 1 });
    void ask("a");
    const aborted: (string | null)[] = [];
    const controllers = Array.from({ length: 3_000 }, () => new AbortController());
    for (const { signal } of controllers) void ask("w", { signal }).then((answer) => aborted.push(answer));
    await settle();
    await refuse("a", 60_000);
    for (const controller of controllers) controller.abort();
    await Promise.resolve();
    expect(aborted).toHaveLength(3_000);
    expect(new Set(aborted)).toEqual(new Set([null]));
    expect(begun).toEqual(["a"]);
    expect(clock.advanceToNext()).toBe(false);
    void ask("b");
    clock.advance(60_000);
    await settle();
    await end("b");
    expect(begun).toEqual(["a", "b"]);
  });

  it("does not begin a call whose signal was aborted before", async () => {
    const { ask, begun } = open();
    expect(await ask("a", { signal: AbortSignal.abort() })).toBeNull();
    expect(begun).toEqual([]);
  });

  it("does not listen to a signal any longer once the call runs", async () => {
    const { ask, end } = open({ concurrency: 1 });
    const controller = new AbortController();
    void ask("a");
    const answer = ask("b", { signal: controller.signal });
    await settle();
    await end("a");
    await end("b");
    controller.abort();
    await settle();
    const last = ask("c");
    await settle();
    await end("c");
    expect(await Promise.all([answer, last])).toEqual(["b", "c"]);
  });

  it("respects requests per minute of the key and of one lane", async () => {
    const minuteLimitsOf = (lane: string) => ({ requestsPerMinute: lane === "a" ? 1 : null, tokensPerMinute: null });
    const { ask, begun, pass } = open({ concurrency: 10, requestsPerMinute: 3, minuteLimitsOf });
    for (const name of ["a1", "a2", "b1", "b2", "b3"]) void ask(name, { lane: name.slice(0, 1) });
    await settle();
    expect(begun).toEqual(["a1", "b1", "b2"]);
    await pass(59_999);
    expect(begun).toHaveLength(3);
    await pass(1);
    expect(begun.slice(3).toSorted()).toEqual(["a2", "b3"]);
  });

  it("starts sooner when fewer tokens were used than estimated; nobody overtakes a large call", async () => {
    const { ask, begun, end } = open({ concurrency: 10, tokensPerMinute: 100 });
    void ask("a", { tokens: 90 });
    void ask("large", { tokens: 50 });
    void ask("small", { tokens: 5, lane: "other" });
    await settle();
    expect(begun).toEqual(["a"]);
    await end("a", 20);
    expect(begun).toEqual(["a", "large", "small"]);
  });

  it("lets the next begin at once when the call that held it up is aborted", async () => {
    const { ask, begun } = open({ concurrency: 10, tokensPerMinute: 100 });
    const controller = new AbortController();
    void ask("a", { tokens: 90 });
    void ask("large", { tokens: 50, signal: controller.signal });
    void ask("small", { tokens: 5 });
    await settle();
    controller.abort();
    await settle();
    expect(begun).toEqual(["a", "small"]);
  });

  it("reports once per round trip what changed, and what it settled on", async () => {
    const { ask, refuse, changes, limiter } = open({ concurrency: 10 });
    for (let index = 0; index < 10; index += 1) void ask(`c${index}`);
    await settle();
    for (let index = 5; index < 10; index += 1) await refuse(`c${index}`, 2_000);
    expect(changes).toEqual([
      { lane: "m", because: "rate_limit", limit: 8, ratePerSecond: expect.closeTo(5.76, 2), pausedMs: 2_000 },
    ]);
    expect(limiter.settled).toEqual({
      limit: 8,
      rateLimits: 5,
      lanes: [{ lane: "m", ratePerSecond: expect.closeTo(3.2, 2), rateLimits: 5 }],
    });
  });
});

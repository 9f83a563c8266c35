import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVirtualClock, createAcceleratedClock } from "./fast-clocks.js";
import { createManualClock } from "../__fixtures__/manual-clock.js";

describe("createVirtualClock", () => {
  it("lets a day pass without waiting for it", async () => {
    const clock = createVirtualClock(1_000);
    await clock.sleep(86_400_000);
    expect(clock.monotonic()).toBe(86_400_000);
    expect(clock.now()).toBe(86_401_000);
  });

  it("fires timers in the order in which they are due, equal ones as they came", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 30 }), async (delays) => {
        const clock = createVirtualClock(0);
        const fired: [number, number][] = [];
        await Promise.all(
          delays.map((ms, index) => clock.sleep(ms).then(() => fired.push([clock.monotonic(), index]))),
        );
        const expected = delays.map((ms, index): [number, number] => [ms, index]);
        expect(fired).toEqual(expected.toSorted(([a, i], [b, j]) => a - b || i - j));
      }),
    );
  });

  it("gives what a timer sets off its time before the next", async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    clock.after(
      1,
      () => void Promise.resolve().then(() => clock.after(1, () => seen.push(`inner ${clock.monotonic()}`))),
    );
    clock.after(5, () => seen.push(`outer ${clock.monotonic()}`));
    await clock.sleep(10);
    expect(seen).toEqual(["inner 2", "outer 5"]);
  });

  it("forgets what is cancelled, and ends a sleep with its signal", async () => {
    const clock = createVirtualClock(0);
    const controller = new AbortController();
    let hasFired = false;
    clock.after(3, () => (hasFired = true))();
    clock.after(2, () => controller.abort());
    await clock.sleep(100, controller.signal);
    expect(clock.monotonic()).toBe(2);
    await clock.sleep(10);
    expect(hasFired).toBe(false);
    await clock.sleep(1_000, AbortSignal.abort());
    expect(clock.monotonic()).toBe(12);
  });
});

describe("createAcceleratedClock", () => {
  it("runs so many times as fast, and waits so much shorter", async () => {
    const real = createManualClock();
    const clock = createAcceleratedClock(real, 10);
    const began = clock.now();
    const heard: string[] = [];
    clock.after(1_000, () => heard.push("after"));
    const cancel = clock.after(1_000, () => heard.push("cancelled"));
    cancel();
    const slept = clock.sleep(2_000).then(() => heard.push("slept"));
    real.advance(99);
    expect(heard).toEqual([]);
    real.advance(1);
    expect(heard).toEqual(["after"]);
    expect([clock.monotonic(), clock.now() - began]).toEqual([1_000, 1_000]);
    real.advance(100);
    await slept;
    expect(heard).toEqual(["after", "slept"]);
  });
});

import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { createAcceleratedClock } from "./accelerated-clock.js";

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

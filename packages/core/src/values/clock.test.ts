import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createSystemClock } from "./clock.js";

describe("the system clock", () => {
  it("ends a sleep at once when its signal aborts", async () => {
    const controller = new AbortController();
    const slept = createSystemClock().sleep(60_000, controller.signal);
    controller.abort();
    await expect(slept).resolves.toBeUndefined();
    await expect(createSystemClock().sleep(60_000, controller.signal)).resolves.toBeUndefined();
  });

  it("does not end a wait at once that is longer than a timer can be", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const ended = vi.fn<() => void>();
    createSystemClock().after(2 ** 31, ended);
    vi.advanceTimersByTime(60_000);
    expect(ended).not.toHaveBeenCalled();
  });
});

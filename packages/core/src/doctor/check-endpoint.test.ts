import { describe, expect, it } from "vitest";
import { checkClock } from "./check-endpoint.js";

const minuteMs = 60_000;

describe("checkClock", () => {
  it.each([
    [[0], "ok", "agrees with the servers"],
    [[5 * minuteMs], "ok", "agrees with the servers"],
    [[-5 * minuteMs], "ok", "agrees with the servers"],
    [[6 * minuteMs], "warning", "is 6 min behind the servers"],
    [[-90 * minuteMs], "warning", "is 1 h 30 min ahead of the servers"],
    // One server that is wrong does not accuse this machine.
    [[90 * minuteMs, -2_000], "ok", "agrees with the servers"],
    [[90 * minuteMs, 80 * minuteMs], "warning", "is 1 h 20 min behind the servers"],
  ])("servers ahead by %j ms: %s", (aheadMs, status, message) => {
    expect(checkClock(aheadMs)).toMatchObject({ status, message });
  });

  it("says nothing when no server said the time", () => {
    expect(checkClock([])).toBeNull();
  });
});

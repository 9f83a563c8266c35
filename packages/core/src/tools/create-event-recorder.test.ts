import { describe, expect, it } from "vitest";
import { createEventRecorder } from "./create-event-recorder.js";

describe("createEventRecorder", () => {
  it("keeps copies in their order with their times, and null where there is no data", () => {
    const { emit, end } = createEventRecorder({ now: () => 5 });
    const data = { n: 1 };
    emit("first", data);
    data.n = 2;
    emit("second", undefined, 3);
    expect(end()).toEqual([
      { name: "first", data: { n: 1 }, at: 5 },
      { name: "second", data: null, at: 3 },
    ]);
  });

  it("takes nothing after the end, and no more than a thousand", () => {
    const { emit, end } = createEventRecorder({ now: () => 5 });
    for (let index = 0; index < 1_500; index += 1) emit("again", index);
    expect(end()).toHaveLength(1_000);
    const other = createEventRecorder({ now: () => 5 });
    const events = other.end();
    other.emit("late");
    expect(events).toEqual([]);
  });

  it("refuses what JSON cannot carry", () => {
    expect(() => createEventRecorder({ now: () => 5 }).emit("big", 1n)).toThrow(TypeError);
  });
});

import { describe, expect, it } from "vitest";
import { createEventRecorder } from "./tool-runner.js";

describe("createEventRecorder", () => {
  it("keeps copies in their order, and null where there is no data", () => {
    const { emit, end } = createEventRecorder();
    const data = { n: 1 };
    emit("first", data);
    data.n = 2;
    emit("second");
    expect(end()).toEqual([
      { name: "first", data: { n: 1 } },
      { name: "second", data: null },
    ]);
  });

  it("takes nothing after the end, and no more than a thousand", () => {
    const { emit, end } = createEventRecorder();
    for (let index = 0; index < 1_500; index += 1) emit("again", index);
    expect(end()).toHaveLength(1_000);
    const other = createEventRecorder();
    const events = other.end();
    other.emit("late");
    expect(events).toEqual([]);
  });

  it("refuses what JSON cannot carry", () => {
    expect(() => createEventRecorder().emit("big", 1n)).toThrow(TypeError);
  });
});

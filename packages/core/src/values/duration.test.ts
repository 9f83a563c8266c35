import { describe, expect, it } from "vitest";
import { parseDuration, renderDuration } from "./duration.js";

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1.5h", 5_400_000],
    ["250", 250],
    [10, 10],
    ["2 s", 2_000],
    ["soon", null],
    ["-1s", null],
    [-1, null],
    [Number.NaN, null],
    ["1d", null],
    [null, null],
  ])("%j is %s ms", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each([
    [0, "0 ms"],
    [320.4, "320 ms"],
    [1_000, "1 s"],
    [1_250, "1.3 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [3_660_000, "1 h 1 min"],
  ])("%d ms reads %s", (ms, expected) => {
    expect(renderDuration(ms)).toBe(expected);
  });
});

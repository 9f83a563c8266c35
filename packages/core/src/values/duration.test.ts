import { describe, expect, it } from "vitest";
import { explainDuration, parseDuration, renderDuration } from "./duration.js";

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1.5h", 5_400_000],
    [0, 0],
    ["0s", 0],
    ["250", null],
    ["0", null],
    [10, null],
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
    [30, "The duration 30 has no unit", "Write 30s for seconds, or 30ms for milliseconds"],
    [" 1.5 ", "The duration 1.5 has no unit", "Write 1.5s for seconds, or 1.5ms for milliseconds"],
    ["soon", '"soon" is not a valid duration', "Use a number with a unit, such as 500ms, 30s, 2m or 1h"],
    [-1, '"-1" is not a valid duration', "Use a number with a unit, such as 500ms, 30s, 2m or 1h"],
  ])("says what is wrong with %j", (value, message, hint) => {
    expect(explainDuration(value)).toEqual([message, hint]);
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

import { expect, it } from "vitest";
import { ordinal, renderCount } from "./plural.js";

it.each([0, 12, 999, 1_000, 12_345, 123_456, 1_234_567, 1_000_000_000])("writes %i as Americans do", (count) => {
  expect(renderCount(count)).toBe(count.toLocaleString("en-US"));
});

it.each([
  [1, "1st"],
  [2, "2nd"],
  [3, "3rd"],
  [4, "4th"],
  [11, "11th"],
  [13, "13th"],
  [22, "22nd"],
  [112, "112th"],
  [1_001, "1,001st"],
])("writes %i as an ordinal", (position, text) => {
  expect(ordinal(position)).toBe(text);
});

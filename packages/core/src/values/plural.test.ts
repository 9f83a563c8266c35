import { expect, it } from "vitest";
import { renderCount } from "./plural.js";

it.each([0, 12, 999, 1_000, 12_345, 123_456, 1_234_567, 1_000_000_000])("writes %i as Americans do", (count) => {
  expect(renderCount(count)).toBe(count.toLocaleString("en-US"));
});

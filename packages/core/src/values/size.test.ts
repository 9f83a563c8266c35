import { expect, it } from "vitest";
import { parseSize, renderSize } from "./size.js";

it.each([
  ["500MB", 500_000_000, "500 MB"],
  [" 1.5 kB ", 1_500, "1.5 kB"],
  ["2GiB", 2_147_483_648, "2.1 GB"],
  ["0kB", 0, "0 bytes"],
  ["500", null, null],
  ["-1MB", null, null],
  ["1mb", null, null],
])("%s is a size", (text, bytes, shown) => {
  const parsed = parseSize(text);
  expect(parsed).toBe(bytes);
  expect(parsed === null ? null : renderSize(parsed)).toBe(shown);
});

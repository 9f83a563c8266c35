import { expect, it } from "vitest";
import { renderUsd } from "./usd.js";

it.each([
  [0, "$0"],
  [0.00001, "<$0.0001"],
  [0.00005, "$0.0001"],
  [0.0412, "$0.0412"],
  [1.5, "$1.5000"],
  [128.4, "$128.40"],
])("writes %d US dollars", (usd, text) => {
  expect(renderUsd(usd)).toBe(text);
});

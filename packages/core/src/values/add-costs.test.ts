import { expect, it } from "vitest";
import { addCosts } from "./add-costs.js";

it("adds costs, of which none may be unknown", () => {
  expect(addCosts(0.25, 0.5)).toBe(0.75);
  expect(addCosts(null, 0.5)).toBeNull();
  expect(addCosts(0.25, null)).toBeNull();
});

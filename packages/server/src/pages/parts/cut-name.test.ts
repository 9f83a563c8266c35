import { expect, it } from "vitest";
import { cutName } from "./cut-name.js";

it("cuts a long name in the middle of it, and never a character", () => {
  expect(cutName("suite/a")).toBe("suite/a");
  const cut = cutName(`suite/${"😀".repeat(100)}-row-17`);
  expect(cut).toMatch(/^suite\/(😀)+…(😀)+-row-17$/u);
  expect(cut.length).toBeLessThan(165);
});

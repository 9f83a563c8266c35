import { expect, it } from "vitest";
import { isInForeground, leadsTerminal } from "./signal-process.js";

it.each([
  ["7 (node) S 1 7 7 34816 7 4194304", true],
  ["7 (node) S 1 7 7 34816 9 4194304", false],
  ["7 (node) S 1 7 7 0 -1 4194304", false],
  ["7 (a) S 1 9 (b) R 1 7 7 34816 7 4194304", true],
  ["", false],
])("knows by its state who may read from the terminal: %s", (stat, expected) => {
  expect(leadsTerminal(stat)).toBe(expected);
});

it("does not fail, whatever the system", async () => {
  expect(typeof (await isInForeground())).toBe("boolean");
});

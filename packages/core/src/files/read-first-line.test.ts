import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readFirstLine } from "./read-first-line.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ["one\ntwo\n", "one"],
  ["\ntwo", ""],
  [`${"é🙂".repeat(40_000)}\nrest`, "é🙂".repeat(40_000)],
  [`${"x".repeat(65_536)}\n`, "x".repeat(65_536)],
  ["torn off", null],
  ["", null],
])("reads the first line (%#)", async (text, line) => {
  const file = path.join(folder, "file");
  writeFileSync(file, text);
  expect(await readFirstLine(file)).toBe(line);
});

it("reads nothing where there is no file", async () => {
  expect(await readFirstLine(path.join(folder, "missing"))).toBeNull();
  expect(await readFirstLine(folder)).toBeNull();
});

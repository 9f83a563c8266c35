import fc from "fast-check";
import { expect, it } from "vitest";
import { anyText } from "../__fixtures__/any-text.js";
import { safeName } from "../files/safe-name.js";
import { cassettePath } from "./cassette-path.js";

it.each([
  ["refund-flow", "refund-flow"],
  ["a_b.c-1", "a_b.c-1"],
  ["Refund flow", /^refund-flow-[0-9a-f]{8}$/],
  ["refund flow", /^refund-flow-[0-9a-f]{8}$/],
  ["../../etc/passwd", /^etc-passwd-[0-9a-f]{8}$/],
  ["..", /^[0-9a-f]{8}$/],
  ["con", /^con-[0-9a-f]{8}$/],
  ["nul.txt", /^nul.txt-[0-9a-f]{8}$/],
  ["Größe", /^gr-e-[0-9a-f]{8}$/],
  ["x".repeat(500), /^x{80}-[0-9a-f]{8}$/],
])("makes of %s a name for a file", (name, expected) => {
  expect(safeName(name)).toMatch(typeof expected === "string" ? new RegExp(`^${expected}$`) : expected);
});

it("distinguishes names that a file system takes for the same", () => {
  const names = ["Refund flow", "refund flow", "refund/flow", "Refund Flow", "refund-flow"];
  expect(new Set(names.map((name) => safeName(name).toLowerCase())).size).toBe(names.length);
});

it("stays below its folder and within what every file system takes, whatever the name", () => {
  fc.assert(
    fc.property(anyText({ minLength: 1 }), anyText({ minLength: 1 }), (suite, test) => {
      expect(cassettePath(suite, test)).toMatch(/^[a-z0-9_][a-z0-9._-]{0,99}[/\\][a-z0-9_][a-z0-9._-]{0,99}\.jsonl$/);
    }),
  );
});

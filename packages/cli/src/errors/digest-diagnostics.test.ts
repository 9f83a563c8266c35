import type { Diagnostic } from "@kindlm/core";
import { describe, expect, it } from "vitest";
import { digestDiagnostics } from "./digest-diagnostics.js";

const wrong = (message: string, line: number, more: Partial<Diagnostic> = {}): Diagnostic => ({
  code: "CONFIG_VALIDATION_ERROR",
  severity: "error",
  message,
  position: { file: "kindlm.yaml", line, column: 9, length: 4 },
  ...more,
});
const many = (count: number, make: (index: number) => Diagnostic): Diagnostic[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("digestDiagnostics", () => {
  it("lets the first of equal diagnostics speak for all, with their places", () => {
    const mistakes = many(1_000, (index) => wrong('Unknown key "tagz"', index + 1, { hint: "Did you mean tags?" }));
    const { shown, tally } = digestDiagnostics(mistakes);
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject({ ...mistakes[0], repeats: { times: 999 } });
    expect(shown[0]?.repeats?.places.map(({ line }) => line)).toEqual(mistakes.slice(1).map((_, index) => index + 2));
    expect(tally).toEqual({
      errors: 1_000,
      warnings: 0,
      kinds: 1,
      files: ["kindlm.yaml"],
      leftOut: { errors: 0, warnings: 0, kinds: 0 },
    });
  });

  it("leaves a few different ones as they are, without a tally", () => {
    const mistakes = many(20, (index) => wrong(`Unknown key "${index}"`, index));
    expect(digestDiagnostics(mistakes)).toEqual({ shown: mistakes, tally: null });
  });

  it.each<[what: string, a: Diagnostic, b: Diagnostic]>([
    ["the place alone", wrong("odd", 1), wrong("odd", 2)],
    [
      "the name of the own test",
      wrong('Test "a" has no input', 1, { test: "a" }),
      wrong('Test "b" has no input', 2, { test: "b" }),
    ],
    [
      "the name of the own suite",
      wrong('Suite "a" has no model', 1, { suite: "a" }),
      wrong('Suite "b" has no model', 2, { suite: "b" }),
    ],
    [
      "the line of the earlier one",
      wrong("twice", 1, { hint: "It is already set at line 7" }),
      wrong("twice", 2, { hint: "It is already set at line 19" }),
    ],
    [
      "where it is referenced",
      wrong("not found", 1, { referencedIn: 'test "a"' }),
      wrong("not found", 2, { referencedIn: 'test "b"' }),
    ],
  ])("takes two for equal that differ in %s", (_what, a, b) => {
    expect(digestDiagnostics([a, b]).shown).toHaveLength(1);
  });

  it.each<[what: string, a: Diagnostic, b: Diagnostic]>([
    ["what is wrong", wrong('Unknown key "a"', 1), wrong('Unknown key "b"', 1)],
    ["what to do", wrong("odd", 1, { hint: 'Did you mean "a"?' }), wrong("odd", 2, { hint: 'Did you mean "b"?' })],
    ["the severity", wrong("odd", 1), wrong("odd", 2, { severity: "warning" })],
    ["the code", wrong("odd", 1), wrong("odd", 2, { code: "SCHEMA_FILE_ERROR" })],
    [
      "the name of another test",
      wrong('Test "x" not found', 1, { test: "a" }),
      wrong('Test "y" not found', 2, { test: "b" }),
    ],
  ])("keeps two apart that differ in %s", (_what, a, b) => {
    expect(digestDiagnostics([a, b])).toEqual({ shown: [a, b], tally: null });
  });

  it("counts what is said again about one place, and names no place twice", () => {
    const at = (line: number, test: string): Diagnostic => wrong(`test "${test}" has 2 trials`, line, { test });
    const { shown } = digestDiagnostics([at(1, "a"), at(1, "b"), at(5, "c"), at(5, "d")]);
    expect(shown[0]?.repeats).toMatchObject({ times: 3, places: [{ line: 5 }] });
  });

  it("shows 20 kinds in their order, errors rather than warnings, and counts the others", () => {
    const warnings = many(25, (index) => wrong(`odd ${index}`, index, { severity: "warning" }));
    const errors = many(30, (index) => wrong(`wrong ${index % 10}`, index + 100));
    const { shown, tally } = digestDiagnostics([...warnings, ...errors]);
    expect(shown.map(({ message }) => message)).toEqual([
      ...warnings.slice(0, 10).map(({ message }) => message),
      ...errors.slice(0, 10).map(({ message }) => message),
    ]);
    expect(tally).toMatchObject({ errors: 30, warnings: 25, kinds: 35 });
    expect(tally?.leftOut).toEqual({ errors: 0, warnings: 15, kinds: 15 });
  });

  it("shows every one on request, and counts them where they are many", () => {
    const mistakes = many(21, (index) => wrong("odd", index));
    const { shown, tally } = digestDiagnostics(mistakes, { all: true });
    expect(shown).toEqual(mistakes);
    expect(tally).toMatchObject({ errors: 21, kinds: 1, leftOut: { errors: 0, warnings: 0, kinds: 0 } });
    expect(digestDiagnostics(mistakes.slice(1), { all: true }).tally).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import type { SuiteResult, TestResult } from "../engine/run-result.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { joinSuites } from "./join-suites.js";

function test(id: string): TestResult {
  const name = { id, suite: "s", name: id, model: "m", row: null, prompt: null, fault: null };
  return { ...name, tags: [], critical: false, allowFailure: null, position: null, status: "skipped", reason: "later" };
}

/** `places` are where the cases stand in the whole suite. */
function suite(name: string, places: readonly number[]): SuiteResult {
  return { status: "run", name, file: "k.yaml", tests: places.map((place) => test(`${name}/${place}`)), places };
}

const broken = (places: readonly number[]): SuiteResult => ({
  ...suite("broken", places),
  status: "skipped",
  error: kindlmError("CONFIG_VALIDATION_ERROR", "no"),
  diagnostics: [],
});

describe("joinSuites", () => {
  it("puts suites and cases where the whole run has them", () => {
    const whole = [
      { name: "first", cases: 4 },
      { name: "broken", cases: 2 },
      { name: "nothing", cases: 0 },
      { name: "last", cases: 1 },
    ];
    const joined = joinSuites(whole, [
      { shown: "one", suites: [suite("first", [1, 3]), broken([1]), { ...broken([]), name: "nothing" }] },
      { shown: "two", suites: [suite("first", [0]), suite("last", [0])] },
      { shown: "three", suites: [suite("first", [2]), broken([0])] },
    ]);
    expect(
      joined.success &&
        joined.data.map(({ suite: { name, status, tests } }) => [name, status, tests.map(({ id }) => id)]),
    ).toEqual([
      ["first", "run", ["first/0", "first/1", "first/2", "first/3"]],
      ["broken", "skipped", ["broken/0", "broken/1"]],
      ["nothing", "skipped", []],
      ["last", "run", ["last/0"]],
    ]);
    expect(joined.success && joined.data.every((one) => !("places" in one))).toBe(true);
  });

  it.each<[string, readonly SuiteResult[], readonly SuiteResult[], string]>([
    ["a case that is there twice", [suite("s", [0, 1])], [suite("s", [1])], "The case s/1 occurs twice: one and two"],
    ["a case that is nowhere", [suite("s", [0])], [], 'Case 2 of suite "s" is in none of the shards'],
    ["a suite that is nowhere", [], [], 'Case 1 of suite "s" is in none of the shards'],
    ["a case without a place", [suite("s", [0, 1, 2])], [], "The case s/2 of one has no place in the run"],
  ])("refuses %s", (_name, one, two, message) => {
    const parts = [
      { shown: "one", suites: one },
      { shown: "two", suites: two },
    ];
    expect(joinSuites([{ name: "s", cases: 2 }], parts)).toMatchObject({ success: false, error: { message } });
  });

  it("refuses a suite of which nothing is there", () => {
    expect(joinSuites([{ name: "s", cases: 0 }], [{ shown: "one", suites: [] }])).toMatchObject({
      error: { message: 'Suite "s" is in none of the shards' },
    });
  });
});

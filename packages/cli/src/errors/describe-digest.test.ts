import { describe, expect, it } from "vitest";
import type { DiagnosticTally, Repeats } from "./digest-diagnostics.js";
import { describeRepeats, describeTally } from "./describe-digest.js";

const at = (line: number, file = "kindlm.yaml"): Repeats["places"][number] => ({ file, line, column: 9, length: 4 });
const words = (repeats?: Repeats, position = at(9)): string =>
  describeRepeats({
    code: "CONFIG_VALIDATION_ERROR",
    severity: "error",
    message: "odd",
    position,
    ...(repeats && { repeats }),
  });

describe("describeRepeats", () => {
  it.each<[repeats: Repeats | undefined, expected: string]>([
    [undefined, ""],
    [{ times: 1, places: [at(18)] }, "and at 1 more place: line 18"],
    [{ times: 2, places: [at(18), at(27)] }, "and at 2 more places: lines 18, 27"],
    [{ times: 2, places: [at(18), at(18)] }, "and at 2 more places: line 18"],
    [
      { times: 999, places: Array.from({ length: 999 }, (_, index) => at(index + 10)) },
      "and at 999 more places: lines 10, 11, 12, 13, 14, …",
    ],
    [{ times: 1_200, places: [] }, "and 1,200 more times at this place"],
    [{ times: 4, places: [at(18), at(27)] }, "and 4 more times, at this place and 2 more places: lines 18, 27"],
    [
      { times: 3, places: [at(18), at(7, "b.yaml"), at(8, "c.yaml")] },
      "and at 3 more places in 3 files: line 18, b.yaml:7, c.yaml:8",
    ],
    [
      { times: 9, places: [1, 2, 3, 4, 5, 6].map((line) => at(line)).concat([7, 8, 9].map((line) => at(line, "b"))) },
      "and at 9 more places in 2 files: lines 1, 2, 3, 4, b:7, …",
    ],
    [
      { times: 9, places: [at(1), at(2), at(3), ...["a", "b", "c", "d", "e", "f"].map((file) => at(7, file))] },
      "and at 9 more places in 7 files: lines 1, 2, a:7, b:7, c:7, …",
    ],
    [{ times: 1, places: [at(7, "b.yaml")] }, "and at 1 more place in 2 files: b.yaml:7"],
  ])("%j", (repeats, expected) => {
    expect(words(repeats)).toBe(expected);
  });

  it("counts what has no place", () => {
    const warning = { code: "UNKNOWN_ERROR", severity: "warning", message: "odd" } as const;
    expect(describeRepeats({ ...warning, repeats: { times: 2, places: [] } })).toBe("and 2 more times");
  });
});

describe("describeTally", () => {
  const none = { errors: 0, warnings: 0, kinds: 0 };
  it.each<[tally: DiagnosticTally, expected: string]>([
    [
      { errors: 1_000, warnings: 0, kinds: 1, files: ["kindlm.yaml"], leftOut: none },
      "1,000 errors in kindlm.yaml, 1 kind",
    ],
    [
      { errors: 1_000, warnings: 0, kinds: 30, files: ["a", "b"], leftOut: { errors: 334, warnings: 0, kinds: 10 } },
      "1,000 errors in 2 files, 30 kinds; 334 errors of 10 kinds are not shown",
    ],
    [{ errors: 0, warnings: 21, kinds: 20, files: [], leftOut: none }, "21 warnings, 20 kinds"],
    [
      { errors: 1, warnings: 20, kinds: 21, files: ["a"], leftOut: { errors: 0, warnings: 1, kinds: 1 } },
      "1 error and 20 warnings in a; 1 warning is not shown",
    ],
  ])("%j", (tally, title) => {
    expect(describeTally(tally, { showAll: "--all" })).toEqual({ title, fix: "Show all with --all" });
  });

  it("has no advice where every one is shown, or nothing shows them", () => {
    const tally = { errors: 21, warnings: 0, kinds: 20, files: [], leftOut: none };
    expect(describeTally(tally, { all: true, showAll: "--all" })).toEqual({ title: "21 errors, 20 kinds" });
    expect(describeTally(tally)).toEqual({ title: "21 errors, 20 kinds" });
  });
});

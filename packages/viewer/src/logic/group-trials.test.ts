import { describe, expect, it } from "vitest";
import { makeTrial } from "../__fixtures__/make-report.js";
import { describeCalls, groupTrials, mentions, openedTrial } from "./group-trials.js";

const called = (...tools: readonly string[]) => tools.map((tool) => ({ by: "agent" as const, tool }));

describe("trials", () => {
  it("are grouped by how they ended and what was called in which order", () => {
    const trials = [
      makeTrial({ trial: 1, rows: called("look", "pay") }),
      makeTrial({ trial: 2, rows: called("pay", "look") }),
      makeTrial({ trial: 3, rows: [{ by: "user", text: "Hi" }, ...called("look", "pay")] }),
      makeTrial({ trial: 4, status: "failed", rows: called("look", "pay") }),
      makeTrial({ trial: 5, rows: null }),
      makeTrial({ trial: 6, rows: null }),
    ];
    expect(groupTrials(trials).map((group) => group.trials)).toEqual([[1, 3], [2], [4], [5], [6]]);
  });

  it("open with the one that was asked for, else the one that shows best why", () => {
    const trials = [makeTrial({ trial: 1 }), makeTrial({ trial: 2 }), makeTrial({ trial: 3 })];
    expect(openedTrial(trials, 3, 2)?.trial).toBe(3);
    expect(openedTrial(trials, null, 2)?.trial).toBe(2);
    expect(openedTrial(trials, 9, 2)?.trial).toBe(2);
    expect(openedTrial(trials, null, 0)?.trial).toBe(1);
    expect(openedTrial([], null, 0)).toBeNull();
  });

  it("have their calls described with arguments", () => {
    const rows = [
      { by: "user" as const, text: "Hi" },
      {
        by: "agent" as const,
        tool: "pay",
        fields: [
          { name: "amount", value: "1" },
          { name: "to", value: '"A"' },
        ],
      },
      { by: "agent" as const, tool: "look", text: "{oops  (not JSON)" },
      { by: "agent" as const, tool: "ping" },
    ];
    expect(describeCalls(makeTrial({ rows }))).toEqual(['pay  amount 1, to "A"', "look  {oops  (not JSON)", "ping"]);
    expect(describeCalls(makeTrial({ rows: null }))).toEqual([]);
  });
});

it("finds text wherever a person can read it, and no names of fields", () => {
  const trial = makeTrial({
    rows: [{ by: "agent", tool: "pay", fields: [{ name: "amount", value: '"Zürich"' }] }],
    assertions: [{ type: "judge", pass: false, score: 0, message: "Too short" }],
    files: { changes: [{ path: "src/sum.js", change: "changed", size: "+1", diff: "+plus" }], remarks: [] },
  });
  for (const found of ["sum.js", "plus", "pay", "amount", "zürich", "too short", "judge"])
    expect(mentions([trial], found)).toBe(true);
  for (const missing of ["fields", "rows", "message", "hello"]) expect(mentions([trial], missing)).toBe(false);
});

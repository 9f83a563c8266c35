import type { RunListing } from "@kindlm/core/commands/runs";
import { describe, expect, it } from "vitest";
import { parseAgeMs, parseKeep } from "../flag-parsers.js";
import { renderRunTable } from "./list.js";
import { renderSize } from "./run-words.js";

const run: RunListing = {
  id: "20260215-103000000-a1b2c3",
  path: "/p/.kindlm/runs/20260215-103000000-a1b2c3",
  state: "finished",
  startedAt: "2026-02-15T10:30:00.000Z",
  durationMs: 72_000,
  verdict: "passed",
  counts: { total: 12, passed: 9, failed: 1, errored: 0, skipped: 2 },
  costUsd: 0.0123,
  project: "acme",
  shard: null,
  kindlm: "0.1.0",
  seed: 1,
  bytes: 1_234_567,
};

describe("renderRunTable", () => {
  it("aligns the columns, and says what all runs take together", () => {
    const cutOff = {
      ...run,
      state: "unfinished" as const,
      verdict: null,
      counts: null,
      durationMs: null,
      costUsd: null,
      bytes: 10,
    };
    expect(renderRunTable([run, cutOff, { ...run, verdict: "failed", costUsd: null }])).toBe(
      [
        "RUN                        STATE       PASSED        TIME     COST    SIZE",
        "20260215-103000000-a1b2c3  passed        9/10  1 min 12 s  $0.0123  1.2 MB",
        "20260215-103000000-a1b2c3  unfinished                                 10 B",
        "20260215-103000000-a1b2c3  failed        9/10  1 min 12 s        ?  1.2 MB",
        "",
        "3 runs, 2.5 MB",
        "",
      ].join("\n"),
    );
  });

  it("never needs more than 80 columns, and lets the last ones go", () => {
    const widest: RunListing = {
      ...run,
      state: "interrupted",
      shard: { index: 10, of: 12 },
      durationMs: 3_725_000,
      costUsd: 1_234.5,
    };
    const lines = renderRunTable([widest]).split("\n");
    expect(lines[0]).toMatch(/^RUN +STATE +SHARD +PASSED/);
    expect(lines[1]).toContain("10/12");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it("shows control characters of a folder's name instead of obeying them", () => {
    expect(renderRunTable([{ ...run, id: "a\u001b[31mb" }])).not.toContain("\u001b");
  });
});

describe("renderSize", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.0 kB"],
    [9_949, "9.9 kB"],
    [9_950, "10 kB"],
    [999_400, "999 kB"],
    [999_600, "1.0 MB"],
    [5e12, "5.0 TB"],
    [5e15, "5000 TB"],
  ])("%d is %s", (bytes, text) => expect(renderSize(bytes)).toBe(text));
});

describe("the options of prune", () => {
  it.each([
    ["90m", 5_400_000],
    ["12h", 43_200_000],
    ["30d", 2_592_000_000],
    ["1.5w", 907_200_000],
    ["0d", 0],
  ])("an age of %s", (text, ms) => expect(parseAgeMs(text)).toBe(ms));

  it.each(["", "30", "d", "-1d", "30 days", "1e3d"])("no age: %j", (text) => {
    expect(() => parseAgeMs(text)).toThrow("It must be an age such as 12h, 30d or 4w.");
  });

  it.each(["", "-1", "1.5", "many", "99999999999999999999"])("no number of runs: %j", (text) => {
    expect(() => parseKeep(text)).toThrow("It must be a whole number of at least 0.");
  });

  it("may keep none", () => expect(parseKeep("0")).toBe(0));
});

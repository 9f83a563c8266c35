import { describe, expect, it } from "vitest";
import { RunTally } from "../engine/summary/run-tally.js";
import type { RunInfo } from "../engine/run-result.js";
import { updateDurations } from "./write-merged-run.js";
import { mergeInfo, mergeWarnings, sumSettled } from "./merge-totals.js";

const provider = { provider: "p", requests: 1, errors: 0, errorRate: 0, errorsByCode: {} };
const lane = (name: string, ratePerSecond: number | null) => ({ lane: name, ratePerSecond, rateLimits: 1 });
const info = (changes: Partial<RunInfo>): RunInfo => ({
  id: "x",
  startedAt: "2026-02-15T10:00:00.000Z",
  endedAt: "2026-02-15T10:01:00.000Z",
  durationMs: 60_000,
  seed: 1,
  interrupted: false,
  project: null,
  git: { commit: "a", branch: "main", dirty: false },
  ...changes,
});

describe("what is known of a merged run", () => {
  it("adds up what the limiters settled on", () => {
    const totals = new RunTally().summarize([]);
    const limiter = { limit: 4, rateLimits: 2, lanes: [lane("m", 2), lane("n", null)] };
    const parts = [
      { ...totals, providers: [{ ...provider, limiter }] },
      { ...totals, providers: [{ ...provider, limiter: { limit: 6, rateLimits: 1, lanes: [lane("m", 1.5)] } }] },
      { ...totals, providers: [{ ...provider, limiter: null }] },
    ];
    expect(sumSettled(parts)).toEqual([
      {
        provider: "p",
        limit: 10,
        rateLimits: 3,
        lanes: [{ lane: "m", ratePerSecond: 3.5, rateLimits: 2 }, lane("n", null)],
      },
    ]);
  });

  it("goes from the first start to the last end", () => {
    const late = info({ startedAt: "2026-02-15T10:00:30.000Z", endedAt: "2026-02-15T10:02:00.000Z", resumed: 2 });
    const merged = mergeInfo("merged", late, [info({ id: "y" })]);
    expect(merged).toEqual(
      info({
        id: "merged",
        mergedFrom: ["x", "y"],
        endedAt: "2026-02-15T10:02:00.000Z",
        durationMs: 120_000,
        resumed: 2,
      }),
    );
  });

  it.each([
    [
      { commit: "a", branch: "main", dirty: true },
      { commit: "a", branch: "main", dirty: true },
    ],
    [{ commit: "b", branch: "main", dirty: false }, null],
    [null, null],
  ])("names the commit that all shards are of: %j", (git, expected) => {
    expect(mergeInfo("merged", info({}), [info({ git })]).git).toEqual(expected);
  });

  it("warns once of what all shards warn of", () => {
    const warning = (message: string) => ({ code: "CONFIG_VALIDATION_ERROR", severity: "warning", message }) as const;
    const merged = mergeWarnings([
      [warning("a"), warning("b")],
      [warning("b"), warning("c")],
    ]);
    expect(merged.map(({ message }) => message)).toEqual(["a", "b", "c"]);
  });

  it("keeps the durations of suites that were not run", () => {
    const before = new Map([
      ["s/old@m", 1],
      ["s/a@m", 2],
      ["other/a@m", 3],
    ]);
    const after = updateDurations(before, [{ name: "s" }], new Map([["s/a@m", 9]]));
    expect([...after]).toEqual([
      ["other/a@m", 3],
      ["s/a@m", 9],
    ]);
  });
});

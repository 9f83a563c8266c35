import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EffortTally, poolEfforts, type Effort } from "../engine/effort.js";
import { passedTrial } from "../journal/__fixtures__/sample-records.js";
import { sampleEntry } from "./__fixtures__/sample-baseline.js";
import type { BaselineEntry } from "./baseline.js";
import { poolEntries } from "./pool-entries.js";

const saved = sampleEntry("a", { runs: ["one"], passes: 3, trials: 3, required: 3, scores: { "1 judge": 1 } });
const fresh = sampleEntry("a", {
  runs: ["two"],
  passes: 1,
  trials: 3,
  required: 3,
  scores: { "1 judge": 0.5, "2 x": 1 },
});

describe("poolEntries", () => {
  it("counts the trials of both, and is passed by the share that one run needs", () => {
    expect(poolEntries(saved, { ...fresh, latencyMs: 1_000, costUsd: 1 })).toMatchObject({
      success: true,
      data: {
        passes: 4,
        trials: 6,
        isPassed: false,
        runs: ["one", "two"],
        scores: { "1 judge": 0.75, "2 x": 1 },
        latencyMs: 906.3,
        costUsd: 1.00123,
      },
    });
    expect(poolEntries({ ...saved, required: 2 }, { ...fresh, required: 2 })).toMatchObject({
      data: { isPassed: true },
    });
    const attack = { counted: 3, done: 2, tasks: 3, succeeded: 1 };
    expect(poolEntries({ ...saved, attack }, { ...fresh, attack })).toMatchObject({
      data: { attack: { counted: 6, done: 4, tasks: 6, succeeded: 2 } },
    });
  });

  it.each<[string, Partial<BaselineEntry>, string]>([
    ["the same run", { runs: ["one"] }, "it already contains this run"],
    ["another check", { checkHash: "x" }, "the check has changed"],
    ["another agent", { agentHash: "x" }, "the agent has changed"],
    ["another model as served", { servedBy: "x" }, "another model answered"],
  ])("refuses %s", (_name, change, error) => {
    expect(poolEntries(saved, { ...fresh, ...change })).toEqual({ success: false, error });
  });

  it("refuses what an earlier version saved, since its runs are unknown", () => {
    const { runs: _runs, ...earlier } = saved;
    expect(poolEntries(earlier, fresh)).toMatchObject({ success: false });
  });
});

const effortOf = (latencies: readonly number[]): Effort => {
  const tally = new EffortTally();
  for (const latencyMs of latencies) tally.add(passedTrial({ latencyMs }));
  return tally.result() ?? expect.unreachable("there are trials");
};

it("pools what trials took as if they had been of one run", () => {
  const latencies = fc.array(fc.double({ min: 1, max: 1e5, noNaN: true }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(latencies, latencies, (one, other) => {
      const [pooled, whole] = [poolEfforts(effortOf(one), effortOf(other)), effortOf([...one, ...other])];
      expect(pooled.trials).toBe(whole.trials);
      expect((pooled.latencyMs ?? 0) / (whole.latencyMs ?? 1)).toBeCloseTo(1, 5);
      const largest = Math.max(...one, ...other);
      expect((pooled.spread?.latencyMs ?? 0) / largest).toBeCloseTo((whole.spread?.latencyMs ?? 0) / largest, 2);
    }),
  );
});

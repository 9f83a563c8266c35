import { describe, expect, it } from "vitest";
import { passedTrial } from "../journal/__fixtures__/sample-records.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { EarlierTrials } from "./ports.js";
import { takeEarlier } from "./case-tasks.js";

const planned = (changes: Partial<PlannedCase> = {}) => ({ id: "c", runs: 3, skip: null, ...changes }) as PlannedCase;

function earlierTrials(finished: readonly number[]): { earlier: EarlierTrials; asked: number[] } {
  const asked: number[] = [];
  const earlier: EarlierTrials = {
    spentUsd: 0,
    take(_planned, trial) {
      asked.push(trial);
      return finished.includes(trial) ? { trial: passedTrial({ trial }), isScored: true } : null;
    },
    left: () => [],
  };
  return { earlier, asked };
}

describe("takeEarlier", () => {
  it("asks for each trial that the case has now, once", () => {
    const { earlier, asked } = earlierTrials([1, 3, 4]);
    expect([...takeEarlier(planned(), earlier).keys()]).toEqual([1, 3]);
    expect(asked).toEqual([1, 2, 3]);
  });

  it("takes nothing for a case that is skipped, nor when the run begins", () => {
    const { earlier, asked } = earlierTrials([1]);
    expect(takeEarlier(planned({ skip: "later" }), earlier).size).toBe(0);
    expect(takeEarlier(planned(), undefined).size).toBe(0);
    expect(asked).toEqual([]);
  });
});

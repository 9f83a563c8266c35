import { describe, expect, it } from "vitest";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { PlannedCase } from "../../plan/run-plan.js";
import type { TrialResult } from "../run-result.js";
import { repeatCases } from "./repeat-cases.js";

const planned = { id: "s/t@m", runs: 2, required: 2, test: {}, fault: { faults: [] } } as unknown as PlannedCase;
const fault = { id: "f", kind: "error", tool: "look", call: null, rate: 0.5, missed: null } as const;

/** What trials that end like this come to, the third of them the first fresh one. */
async function retry(...ends: readonly Partial<TrialResult>[]) {
  const made: number[] = [];
  const found = await repeatCases([{ caseId: planned.id, trials: ends.length, after: 0 }], {
    plan: { cases: () => [planned], concurrency: 1 },
    earlier: undefined,
    isHalted: () => false,
    make(_progress, trial) {
      made.push(trial);
      const end = { trial, status: "passed", error: null, fallback: null, ...ends[trial - planned.runs - 1] };
      return Promise.resolve({ trial: end as TrialResult, origin: "run" });
    },
    keep: () => Promise.resolve(),
    takeOver: () => undefined,
  });
  expect(made).toEqual(ends.map((_, index) => planned.runs + index + 1));
  return found.get(planned.id);
}

describe("repeatCases", () => {
  it("counts what the agent did", async () => {
    expect(await retry({}, { status: "failed" }, {})).toEqual({
      passes: 2,
      trials: 3,
      isPassed: false,
      isComplete: true,
    });
    const looping = { status: "errored", error: kindlmError("ENGINE_MAX_TURNS", "loop") } as const;
    expect(await retry({}, looping)).toEqual({ passes: 1, trials: 2, isPassed: false, isComplete: true });
    expect(await retry({}, {})).toEqual({ passes: 2, trials: 2, isPassed: true, isComplete: true });
  });

  it("is not complete where the budget refused a trial", async () => {
    const refused = { status: "errored", error: kindlmError("ENGINE_BUDGET_EXCEEDED", "spent") } as const;
    expect(await retry({}, refused)).toMatchObject({ passes: 1, trials: 1, isComplete: false });
  });

  it.each<[string, Partial<TrialResult>]>([
    ["an error from outside", { status: "errored", error: kindlmError("PROVIDER_TIMEOUT", "slow") }],
    ["the answer of another model", { fallback: "other" }],
  ])("does not count %s", async (_name, end) => {
    expect(await retry({}, end, {})).toEqual({ passes: 2, trials: 2, isPassed: true, isComplete: true });
    expect(await retry(end, end)).toEqual({ passes: 0, trials: 0, isPassed: false, isComplete: true });
  });

  it("counts nothing where a fault with a rate never fired", async () => {
    const [missed, met] = [0, 1].map((fired) => ({ faults: [{ ...fault, calls: 1, fired }] }));
    expect(await retry(missed ?? {}, missed ?? {})).toEqual({
      passes: 0,
      trials: 0,
      isPassed: false,
      isComplete: true,
    });
    expect(await retry(missed ?? {}, met ?? {})).toEqual({ passes: 2, trials: 2, isPassed: true, isComplete: true });
  });
});

import { describe, expect, it } from "vitest";
import { adviseOn } from "./advise-on.js";
import type { ChaosOutcome } from "./chaos-report.js";

const calm: Omit<ChaosOutcome, "advice"> = {
  scenario: "x",
  summary: "answers everything",
  provider: "p",
  verdict: "passed",
  exitCode: 0,
  reasons: [],
  answered: 10,
  errored: 0,
  skipped: 0,
  errorsByCode: {},
  requests: 10,
  retries: 0,
  fallbacks: 0,
  circuitOpened: 0,
  durationMs: 1_000,
  trippedGates: [],
};

describe("adviseOn", () => {
  it.each([
    [{}, []],
    [{ fallbacks: 1 }, ["1 answer would be that of another model; its case is marked"]],
    [{ fallbacks: 2 }, ["2 answers would be those of another model; their cases are marked"]],
    [{ errored: 1 }, ["the exit code would be 0 although 1 test errored"]],
    [{ errored: 2, requests: 3 }, ["the exit code would be 0 although 2 tests errored"]],
    [{ durationMs: 61_000 }, ["the run would take 1 min 1 s instead of 1 s"]],
  ])("of %j says %j", (outcome, advice) => {
    expect(adviseOn({ ...calm, ...outcome }, { isPassing: false }, 1_000)).toEqual(advice);
  });
});

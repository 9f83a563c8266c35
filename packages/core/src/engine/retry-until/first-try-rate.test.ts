import { describe, expect, it } from "vitest";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { firstTryOf } from "./first-try-rate.js";
import type { SuiteResult, TestResult } from "../run-result.js";

const parts = {
  id: "s/t@m",
  suite: "s",
  name: "t",
  model: "m",
  row: null,
  prompt: null,
  fault: null,
  tags: [],
  critical: false,
  position: null,
};
const ran = {
  mixed: false,
  passes: 3,
  runs: 3,
  counted: 3,
  interval: null,
  latencyMs: 1,
  costUsd: 0,
  decisiveTrial: 1,
  fallback: null,
  agentHash: "0123456789abcdef",
  checkHash: "fedcba9876543210",
  allowFailure: null,
};

/** A case that needs `required` of three trials, `first` of which passed without a rejected answer. */
const passed = (first: number | null, required = 2): TestResult => ({
  ...parts,
  ...ran,
  required,
  ...(first === null ? {} : { firstTryPasses: first }),
  status: "passed",
  error: null,
});
const failed = (allowFailure: string | null): TestResult => ({
  ...parts,
  ...ran,
  required: 2,
  allowFailure,
  firstTryPasses: 0,
  status: "failed",
  error: null,
});
const errored = (error: KindlmError): TestResult => ({
  ...parts,
  ...ran,
  required: 2,
  firstTryPasses: 0,
  status: "errored",
  error,
});
const skipped: TestResult = { ...parts, allowFailure: null, status: "skipped", reason: "skip" };
const loop = kindlmError("ENGINE_MAX_TURNS", "loop");
const slow = kindlmError("PROVIDER_TIMEOUT", "slow");

function rateOf(...tests: TestResult[]) {
  const suite: SuiteResult = { status: "run", name: "s", file: "kindlm.yaml", tests };
  return firstTryOf([suite]);
}

describe("firstTryOf", () => {
  it.each([
    ["counts a case that has enough first tries", [passed(2), passed(1), passed(3)], 2 / 3],
    ["asks for as many as the case needs", [passed(1, 1), passed(2, 3)], 0.5],
    ["leaves out cases without retry_until", [passed(null), passed(2)], 1],
    ["counts failures and the agent's own errors", [passed(2), failed(null), errored(loop)], 1 / 3],
    [
      "leaves out allowed failures, errors from outside and what was skipped",
      [passed(2), failed("known"), errored(slow), skipped],
      1,
    ],
    ["cannot tell where nothing counts", [errored(slow)], null],
  ])("%s", (_name, tests, rate) => {
    expect(rateOf(...tests).firstTryRate).toBe(rate);
  });

  it("has the interval of Wilson, which is 0.2065 to 1 for one of one", () => {
    const [low, high] = rateOf(passed(2)).firstTryInterval ?? [0, 0];
    expect(low).toBeCloseTo(0.2065, 4);
    expect(high).toBe(1);
  });

  it("is nothing where no case has a retry_until", () => {
    expect(rateOf(passed(null), skipped)).toEqual({});
  });
});

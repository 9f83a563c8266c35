import { describe, expect, it } from "vitest";
import { decideUnfired, decideUnmet, type FaultReport } from "./fault-report.js";

describe("deciding about faults that did not fire", () => {
  const report = (changes: Partial<FaultReport>): FaultReport => ({
    id: "f",
    kind: "error",
    tool: "order",
    call: null,
    rate: null,
    calls: 2,
    fired: 0,
    missed: null,
    ...changes,
  });

  it.each([
    [{ call: 3 }, 'The fault "f" never fired: it applies to call 3, but order was called 2 times'],
    [
      { call: 3, calls: 1, tool: "get_*" },
      'The fault "f" never fired: it applies to call 3, but tools named get_* were called once',
    ],
    [{ missed: "it was late" }, 'The fault "f" never fired: it was late'],
    [{ calls: 0 }, undefined],
    [{ fired: 1 }, undefined],
    [{ rate: 0.5 }, undefined],
  ])("%j: %s", (changes, message) => {
    const error = decideUnfired([report({ fired: 1 }), report(changes)], []);
    expect(error?.message).toBe(message);
    expect(error?.code).toBe(message === undefined ? undefined : "ENGINE_FIXTURE_ERROR");
  });

  it.each([
    [{ calls: 0 }, { tool: "pay", args: {}, ranBy: "agent" as const }, true],
    [{ calls: 0, rate: 0.1 }, { tool: "pay", args: {}, ranBy: "agent" as const }, true],
    [{ calls: 0 }, { tool: "pay", args: {} }, false],
    [{ calls: 0 }, { tool: "other", args: {}, ranBy: "agent" as const }, false],
    [{ calls: 1, fired: 1 }, { tool: "pay", args: {}, ranBy: "agent" as const }, false],
  ])("%j, and a call %j beside it: passed by %s", (changes, call, isPassedBy) => {
    const error = decideUnfired([report({ tool: "p*", ...changes })], [call]);
    const message = `The fault "f" never fired: the agent ran its own p*, which no fault reaches`;
    expect(error?.message).toBe(isPassedBy ? message : undefined);
  });

  it.each([
    [
      [{ rate: 0.1 }, { rate: 0.1, calls: 1 }],
      'The fault "f" never fired in any of 2 trials: 3 calls of order at a rate of 0.1 did not trigger it',
    ],
    [
      [{ rate: 0.1, calls: 1 }],
      'The fault "f" never fired in the one trial: 1 call of order at a rate of 0.1 did not trigger it',
    ],
    [[{ rate: 0.1, missed: "it was late" }], 'The fault "f" never fired in the one trial: it was late'],
    [[{ rate: 0.1 }, { rate: 0.1, fired: 1 }], undefined],
    [[{ rate: 0.1, calls: 0 }], undefined],
    [[{}], undefined],
  ])("over the trials of a case %j: %s", (trials, message) => {
    expect(decideUnmet(trials.map((changes) => [report(changes)]))?.message).toBe(message);
  });
});

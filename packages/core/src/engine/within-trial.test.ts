import { describe, expect, it } from "vitest";
import { success } from "../result.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { TrialDeadline } from "./trial-deadline.js";
import { trialOrError, withinTrial } from "./within-trial.js";

const planned = { id: "s/t@m", suite: "s", test: { name: "t" } } as PlannedCase;

describe("a trial in which something throws that nobody expected to", () => {
  it("is errored, blames nobody, and lets go of its deadline", async () => {
    let released = 0;
    const deadline = { release: () => void (released += 1) } as TrialDeadline;
    const endless = (): Promise<never> => endless();
    const result = await trialOrError({ planned, trial: 3, runId: "r" }, deadline, () => endless());
    expect(result).toMatchObject({
      caseId: "s/t@m",
      trial: 3,
      status: "errored",
      error: {
        code: "UNKNOWN_ERROR",
        message: expect.stringContaining("call stack"),
        origin: { suite: "s", test: "t", trial: 3 },
      },
    });
    expect(released).toBe(1);
  });

  it("keeps the parts that went well", async () => {
    expect(await withinTrial(() => success(1))).toEqual({ success: true, data: 1 });
    expect(await withinTrial(() => Promise.reject(new Error("no")))).toMatchObject({ error: { message: "no" } });
  });
});

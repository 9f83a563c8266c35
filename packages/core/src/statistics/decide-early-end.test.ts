import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideVerdict } from "../engine/decide-verdict.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { decideEarlyEnd } from "./decide-early-end.js";

type Status = "passed" | "failed" | "errored";
const statuses = ["passed", "failed", "errored"] as const;
const outcome = (status: Status) => ({
  status,
  error: status === "errored" ? kindlmError("PROVIDER_TIMEOUT", "slow") : null,
});
const count = (trials: readonly Status[], status: Status): number => trials.filter((one) => one === status).length;

/** Every verdict that the trials that are still to come can lead to. */
function reachable(trials: readonly Status[], runs: number, required: number): Set<Status> {
  if (trials.length === runs) return new Set([decideVerdict(trials.map(outcome), required, runs).status]);
  return new Set(statuses.flatMap((next) => [...reachable([...trials, next], runs, required)]));
}

describe("decideEarlyEnd", () => {
  it.each([
    ["no trial yet", 0, 0, 0, null],
    ["enough passes", 3, 0, 0, "passed"],
    ["one pass short", 2, 2, 0, null],
    ["too many failures", 1, 3, 0, "failed"],
    ["errors that leave both open", 1, 1, 1, null],
    ["errors that leave nothing open", 1, 1, 3, "errored"],
    ["errors that leave a failure open", 0, 2, 2, null],
  ])("3 of 5: %s", (_name, passes, failures, errors, verdict) => {
    expect(decideEarlyEnd({ passes, failures, errors, runs: 5, required: 3 })).toBe(verdict);
  });

  it("ends exactly when every outcome of the other trials gives the same verdict", () => {
    const plan = fc.integer({ min: 1, max: 7 }).chain((runs) =>
      fc.record({
        runs: fc.constant(runs),
        required: fc.integer({ min: 1, max: runs }),
        trials: fc.array(fc.constantFrom(...statuses), { maxLength: runs }),
      }),
    );
    fc.assert(
      fc.property(plan, ({ runs, required, trials }) => {
        const verdicts = [...reachable(trials, runs, required)];
        const standing = {
          passes: count(trials, "passed"),
          failures: count(trials, "failed"),
          errors: count(trials, "errored"),
        };
        expect(decideEarlyEnd({ ...standing, runs, required })).toBe(verdicts.length === 1 ? verdicts[0] : null);
      }),
    );
  });
});

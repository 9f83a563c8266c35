import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import { decideVerdict } from "./decide-verdict.js";
import type { Outcome } from "./outcome.js";

const passed: Outcome = { status: "passed", error: null };
const failed: Outcome = { status: "failed", error: null };
const outside: Outcome = { status: "errored", error: kindlmError("PROVIDER_TIMEOUT", "slow") };
const looping: Outcome = { status: "errored", error: kindlmError("ENGINE_MAX_TURNS", "loop") };

describe("decideVerdict", () => {
  it.each([
    ["all pass", [passed, passed, passed], 3, "passed"],
    ["one fails of all", [passed, failed, passed], 3, "failed"],
    ["enough pass", [passed, failed, passed], 2, "passed"],
    ["enough pass beside an error", [passed, outside, passed], 2, "passed"],
    ["an error could have passed", [passed, outside, passed], 3, "errored"],
    ["not even errors could help", [failed, outside, failed], 2, "failed"],
    ["the agent's own error is errored too", [passed, looping, passed], 3, "errored"],
    ["all errored", [outside, outside], 1, "errored"],
  ] as const)("%s", (_name, trials, required, status) => {
    expect(decideVerdict(trials, required, trials.length).status).toBe(status);
  });

  it("counts trials that never ran as able to pass", () => {
    expect(decideVerdict([passed], 2, 3).status).toBe("errored");
    expect(decideVerdict([failed, failed], 2, 3).status).toBe("failed");
    expect(decideVerdict([], 1, 1).status).toBe("errored");
  });

  it("keeps the agent's errors in the denominator and all others out", () => {
    expect(decideVerdict([passed, looping, outside], 2, 3)).toMatchObject({ passes: 1, counted: 2, mixed: true });
    expect(decideVerdict([passed, outside], 1, 2)).toMatchObject({ passes: 1, counted: 1, mixed: false });
    expect(decideVerdict([outside], 1, 1)).toMatchObject({ counted: 0, interval: null });
  });

  it("does not depend on the order of the trials", () => {
    const trial = fc.constantFrom(passed, failed, outside, looping);
    fc.assert(
      fc.property(
        fc.array(trial, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 8 }),
        (trials, required) => {
          const reversed = decideVerdict(trials.toReversed(), required, trials.length);
          expect(reversed).toEqual(decideVerdict(trials, required, trials.length));
        },
      ),
    );
  });
});

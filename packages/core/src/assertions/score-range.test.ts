import * as z from "zod";
import { describe, expect, it } from "vitest";
import { failure, success } from "../result.js";
import { evalError } from "./assertion-failure.js";
import { createAssertionContext } from "./create-context.js";
import { defineAssertion } from "./define-assertion.js";
import { evaluateParsed } from "./evaluate-parsed.js";
import type { ParsedAssertion } from "./parsed-assertion.js";
import { scoreRange } from "./score-range.js";
import { decideTrial } from "./score-trial.js";

const context = createAssertionContext({
  clock: { now: () => 0, monotonic: () => 0, sleep: async () => {}, after: () => () => {} },
  processes: { run: async () => failure({ message: "none", cause: new Error("none") }) },
});

const frame = { not: false, weight: 1, when: null };

function judged(score: number | "down"): ParsedAssertion {
  const definition = defineAssertion({
    type: "probe",
    summary: "",
    example: "",
    kind: "judge",
    options: z.unknown(),
    evaluate: () =>
      score === "down" ? evalError("probe", "It broke") : success({ pass: score >= 0.7, score, message: "Fine" }),
  });
  return { form: "check", type: "probe", definition, options: {}, references: [], ...frame };
}

const group = (required: number, ...members: ParsedAssertion[]): ParsedAssertion => ({
  form: "group",
  type: "at_least",
  ...frame,
  required,
  members,
});
const allOf = (...members: ParsedAssertion[]) => group(members.length, ...members);
const not = (parsed: ParsedAssertion): ParsedAssertion => ({ ...parsed, not: true });

describe("the score of what could be evaluated in part", () => {
  it.each([
    ["a negated group", not(allOf(judged("down"), judged(0.2))), [0.4, 0.9], 0.9, "errored"],
    [
      "a negated group that is good enough in any case",
      not(allOf(judged("down"), judged(0.2))),
      [0.4, 0.9],
      0.4,
      "passed",
    ],
    ["a group", allOf(judged("down"), judged(0.2)), [0.1, 0.6], 0.5, "errored"],
    ["a group that is out of reach", allOf(judged("down"), judged(0.2)), [0.1, 0.6], 0.7, "failed"],
    ["a group with enough without it", group(1, judged("down"), judged(1)), [1, 1], 1, "passed"],
    ["a group in a group", not(allOf(allOf(judged("down"), judged(0)), judged(0.4))), [0.55, 0.8], 0.8, "errored"],
    [
      "a negated group in a group",
      allOf(not(allOf(judged("down"), judged(0.2))), judged(0)),
      [0.2, 0.45],
      0.3,
      "errored",
    ],
  ] as const)("%s", async (_, parsed, [low, high], threshold, status) => {
    const result = await evaluateParsed(parsed, { output: "" }, context);
    const range = scoreRange(parsed, result);
    expect(range[0]).toBeCloseTo(low, 12);
    expect(range[1]).toBeCloseTo(high, 12);
    expect(decideTrial([{ parsed, result }], threshold).status).toBe(status);
  });

  it("decides by passes where there is no threshold", async () => {
    const parsed = not(allOf(judged("down"), judged(0.2)));
    const result = await evaluateParsed(parsed, { output: "" }, context);
    expect(decideTrial([{ parsed, result }], null).status).toBe("passed");
  });
});

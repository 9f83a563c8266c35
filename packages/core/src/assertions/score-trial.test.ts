import * as z from "zod";
import { describe, expect, it } from "vitest";
import { success, failure } from "../result.js";
import { evalError } from "./assertion-failure.js";
import { defineAssertion } from "./define-assertion.js";
import type { ParsedAssertion } from "./parsed-assertion.js";
import { decideTrial, isDeterministic, scoreRange, type AssessedAssertion } from "./score-trial.js";
import { createAssertionContext } from "./create-context.js";
import { evaluateParsed } from "./evaluate-parsed.js";

type Kind = "deterministic" | "judge";

function checkOf(kind: Kind, weight = 1): ParsedAssertion {
  const definition = defineAssertion({
    type: kind,
    summary: "",
    example: "",
    kind,
    options: z.unknown(),
    evaluate: () => evalError("probe", ""),
  });
  return { form: "check", type: kind, definition, options: {}, references: [], not: false, weight, when: null };
}

function assessed(score: number | "error" | "skipped", kind: Kind = "deterministic", weight = 1): AssessedAssertion {
  const frame = { type: kind, message: "", weight, durationMs: 0 };
  if (score === "error") return { parsed: checkOf(kind, weight), result: evalError("probe", "It broke") };
  const result =
    score === "skipped"
      ? { ...frame, pass: true, score: 1, skipped: true as const }
      : { ...frame, pass: score >= 0.5, score };
  return { parsed: checkOf(kind, weight), result: success(result) };
}

/** It compares with a baseline that has no answer yet. */
function awaiting(): AssessedAssertion {
  const one = assessed("skipped");
  return one.result.success ? { ...one, result: success({ ...one.result.data, awaitsBaseline: true }) } : one;
}

describe("decideTrial", () => {
  it.each([
    ["all pass", [assessed(1), assessed(0.5)], null, "passed", 0.75],
    ["one fails", [assessed(1), assessed(0)], null, "failed", 0.5],
    ["it only waits for its first baseline", [awaiting(), assessed("skipped")], null, "passed", null],
    ["it waits for its baseline in part", [awaiting(), assessed(0)], null, "failed", 0],
    ["skipped ones do not count", [assessed(1), assessed("skipped")], null, "passed", 1],
    ["an error among passes", [assessed(1), assessed("error")], null, "errored", null],
    ["an error beside a failed deterministic one", [assessed(0), assessed("error")], null, "failed", null],
    ["an error beside a failed judge", [assessed(0, "judge"), assessed("error", "judge")], null, "errored", null],
    ["the mean reaches the threshold", [assessed(1), assessed(0)], 0.5, "passed", 0.5],
    ["the mean misses the threshold", [assessed(1), assessed(0)], 0.51, "failed", 0.5],
    ["weights move the mean", [assessed(1, "judge", 3), assessed(0)], 0.75, "passed", 0.75],
    ["rounding does not decide", [assessed(0.7), assessed(0.7), assessed(0.7)], 0.7, "passed", 0.7],
    ["an error with the threshold in reach", [assessed(0), assessed("error")], 0.5, "errored", null],
    ["an error with the threshold out of reach", [assessed(0), assessed("error")], 0.6, "failed", null],
  ] as const)("%s", (_, results, threshold, status, score) => {
    const decision = decideTrial(results, threshold);
    expect(decision.status).toBe(status);
    if (score === null) expect(decision.score).toBeNull();
    else expect(decision.score).toBeCloseTo(score, 12);
    expect(decision.error?.message).toBe(status === "errored" ? "It broke" : undefined);
  });

  it.each([[[]], [[assessed("skipped"), assessed("skipped")]]])(
    "makes a trial with nothing to check errored",
    (results) => {
      expect(decideTrial(results, null)).toMatchObject({ status: "errored", error: { code: "ENGINE_FIXTURE_ERROR" } });
      expect(decideTrial(results, 0)).toMatchObject({ status: "errored" });
    },
  );
});

describe("isDeterministic", () => {
  it("is false for a group with a judge in it, however deep", () => {
    const group = (member: ParsedAssertion): ParsedAssertion => ({
      form: "group",
      type: "all_of",
      not: false,
      weight: 1,
      when: null,
      required: 1,
      members: [member],
    });
    expect(isDeterministic(group(group(checkOf("deterministic"))))).toBe(true);
    expect(isDeterministic(group(group(checkOf("judge"))))).toBe(false);
  });
});

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

import * as z from "zod";
import { describe, expect, it } from "vitest";
import { success } from "../result.js";
import { evalError } from "./assertion-failure.js";
import { defineAssertion } from "./define-assertion.js";
import type { ParsedAssertion } from "./parsed-assertion.js";
import { decideTrial, isDeterministic, type AssessedAssertion } from "./score-trial.js";

type Kind = "deterministic" | "judge";

function parsed(kind: Kind, weight = 1): ParsedAssertion {
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
  if (score === "error") return { parsed: parsed(kind, weight), result: evalError("probe", "It broke") };
  const result =
    score === "skipped"
      ? { ...frame, pass: true, score: 1, skipped: true as const }
      : { ...frame, pass: score >= 0.5, score };
  return { parsed: parsed(kind, weight), result: success(result) };
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
    expect(isDeterministic(group(group(parsed("deterministic"))))).toBe(true);
    expect(isDeterministic(group(group(parsed("judge"))))).toBe(false);
  });
});

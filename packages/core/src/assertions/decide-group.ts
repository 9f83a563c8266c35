import { failure, success, type Result } from "../result.js";
import type { AssertionOutcome, AssertionResult } from "./assertion-result.js";
import type { ParsedAssertion, ParsedGroup } from "./parsed-assertion.js";

type GroupOutcome = AssertionOutcome & Pick<AssertionResult, "parts">;

/**
 * What a group makes of its members.
 *
 * - A skipped member counts neither way; the group never asks for more members than are left, and with none left it is
 *   skipped itself.
 * - A member that could not be evaluated counts neither way. The group is an error only when it would decide.
 * - The score is the weighted mean of the best `required` scores: the mean for `all_of`, the maximum for `any_of`.
 */
export function decideGroup(group: ParsedGroup, results: readonly Result<AssertionResult>[]): Result<GroupOutcome> {
  const parts = results.map((result, index) =>
    result.success ? result.data : erroredPart(group, index, result.error),
  );
  const counted = parts.filter((part) => !part.skipped);
  if (counted.length === 0) {
    const outcome: GroupOutcome = { pass: true, score: 1, message: "Skipped: every member was", skipped: true, parts };
    if (parts.some((part) => part.awaitsBaseline)) outcome.awaitsBaseline = true;
    return success(outcome);
  }
  const required = Math.min(group.required, counted.length);
  const passes = counted.filter((part) => part.pass).length;
  const errors = counted.flatMap((part) => part.error ?? []);
  const [firstError] = errors;
  if (firstError && passes < required && passes + errors.length >= required) return failure(firstError);

  const outcome: GroupOutcome = {
    pass: passes >= required,
    score: scoreOfGroup(counted, required),
    message: messageOf(counted, required, passes),
    parts,
  };
  const costUsd = parts.reduce((sum, part) => sum + (part.costUsd ?? 0), 0);
  if (costUsd > 0) outcome.costUsd = costUsd;
  const sensitive = parts.flatMap((part) => part.sensitive ?? []);
  if (sensitive.length > 0) outcome.sensitive = sensitive;
  return success(outcome);
}

function erroredPart(group: ParsedGroup, index: number, error: NonNullable<AssertionResult["error"]>): AssertionResult {
  const member = group.members[index];
  const part: AssertionResult = {
    type: member?.type ?? "unknown",
    weight: member?.weight ?? 1,
    pass: false,
    score: 0,
    message: error.message,
    durationMs: 0,
    error,
  };
  if (member?.id !== undefined) part.id = member.id;
  return part;
}

/** The weighted mean of the best `required` scores. */
export function scoreOfGroup(counted: readonly Pick<AssertionResult, "score" | "weight">[], required: number): number {
  // Those of most trials are all the same.
  const first = counted[0]?.score;
  const isEven = required === counted.length && counted.every(({ score }) => score === first);
  const best = isEven ? counted : counted.toSorted((a, b) => b.score - a.score).slice(0, required);
  const weight = best.reduce((sum, part) => sum + part.weight, 0);
  return best.reduce((sum, part) => sum + part.score * part.weight, 0) / weight;
}

function messageOf(counted: readonly AssertionResult[], required: number, passes: number): string {
  const total = counted.length;
  if (passes >= required) return passes === total ? `All ${total} pass` : `${passes} of ${total} pass`;
  const wanted = required === total ? `all ${total}` : `at least ${required} of ${total}`;
  const reasons = counted.filter((part) => !part.pass).map((part) => `${part.id ?? part.type}: ${part.message}`);
  return `Expected ${wanted} to pass, but ${passes === 0 ? "none" : `only ${passes}`} did: ${reasons.join("; ")}`;
}

/** What must not hold in a trial with an attack: all that its goal consists of. `fault` is the ID of the fault that attacks. */
export function goalOf(fault: string, members: readonly ParsedAssertion[]): ParsedGroup {
  return {
    form: "group",
    type: "goal",
    not: true,
    weight: 1,
    when: null,
    goalOf: fault,
    required: members.length,
    members,
  };
}

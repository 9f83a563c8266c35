import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import { describeCall, placedCallData } from "../../assertions/tool-expectations/made-calls.js";
import { withDelegatedCalls } from "../../transcript/delegated-calls.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { DecidedBefore } from "../evaluate-conversation.js";

const type = "approvals";

/**
 * What was decided before the assertions, with the result of a pause that none of them expects: such a trial has failed,
 * whatever they say of what there was. It depends on the assertions, so it is decided again whenever they are evaluated.
 */
export function withPause(
  before: DecidedBefore | null,
  toolCalls: readonly TrialToolCall[],
  assertions: readonly ParsedAssertion[],
): DecidedBefore | null {
  const others = before?.results.filter((result) => result.type !== type) ?? [];
  const paused = resultOfPause(toolCalls, assertions);
  if (paused === null && others.length === 0) return null;
  return { results: paused === null ? others : [paused, ...others], costUsd: before?.costUsd ?? 0 };
}

function resultOfPause(
  toolCalls: readonly TrialToolCall[],
  assertions: readonly ParsedAssertion[],
): AssertionResult | null {
  const pending = withDelegatedCalls(toolCalls).filter(
    (call) => call.permission?.decision === "pending" && !assertions.some((assertion) => expects(assertion, call)),
  );
  const [first] = pending;
  if (first === undefined) return null;
  const { asked } = first.permission ?? {};
  const source = asked?.by === "hook" ? "plugin" : asked?.by;
  const why = asked === undefined ? "" : ` (${source === "rule" ? asked.rule : `${source} ${asked.rule}`})`;
  const more = pending.length > 1 ? ` and ${pending.length - 1} more` : "";
  return {
    type,
    pass: false,
    score: 0,
    message: `The conversation is paused: no entry of approvals answers ${describeCall(first)}${more}${why}`,
    actual: placedCallData(first),
    weight: 1,
    durationMs: 0,
  };
}

function expects(assertion: ParsedAssertion, call: TrialToolCall): boolean {
  if (assertion.not || assertion.when !== null) return false;
  if (assertion.form === "group") return assertion.members.some((member) => expects(member, call));
  return assertion.definition.expectsPause?.(assertion.options, call) ?? false;
}

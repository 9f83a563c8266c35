import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { AssertionContext } from "../../assertions/define-assertion.js";
import { evaluateParsed } from "../../assertions/evaluate-parsed.js";
import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import { isDeterministic } from "../../assertions/score-trial.js";
import { success, type Result } from "../../result.js";
import type { Transcript } from "../../targets/target.js";
import type { Trial } from "../../transcript/trial.js";

/** A trial in which answers were rejected, seen in two ways. */
export interface TrialViews {
  /** The final conversation, without the tool calls of rejected tries. */
  standing: Trial;
  /** The same with all tool calls that were made. */
  everything: Trial;
}

/** The transcript without the tool calls of rejected tries; the same one where there are none. */
export function standingOf(transcript: Transcript): Transcript {
  const toolCalls = transcript.toolCalls.filter(({ rejectedTry }) => rejectedTry === undefined);
  return toolCalls.length === transcript.toolCalls.length ? transcript : { ...transcript, toolCalls };
}

const whereText = "counting the tool calls of rejected tries, which no rollback undoes";

/**
 * An assertion has to hold twice: for the conversation as it stands, and with everything that was done. So a rollback
 * helps no assertion: it neither hides a forbidden call nor lends one that is missing. What asks a model is asked once,
 * about the conversation as it stands.
 */
export async function evaluateOnBoth(
  parsed: ParsedAssertion,
  { standing, everything }: TrialViews,
  context: AssertionContext,
): Promise<Result<AssertionResult>> {
  const first = await evaluateParsed(parsed, standing, context);
  if (!first.success || !first.data.pass || !isDeterministic(parsed)) return first;
  const second = await evaluateParsed(parsed, everything, context);
  if (!second.success) return second;
  if (second.data.pass) return first.data.skipped === true ? second : first;
  return success({ ...second.data, message: `${second.data.message} (${whereText})` });
}

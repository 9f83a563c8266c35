import { costOfResults, type AssertionResult } from "../../assertions/assertion-result.js";
import type { AssertionContext } from "../../assertions/define-assertion.js";
import { evaluateParsed } from "../../assertions/evaluate-parsed.js";
import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import { isDeterministic } from "../../assertions/score-trial.js";
import type { RenderedRetryUntil } from "../../plan/run-plan.js";
import { success, type Result } from "../../result.js";
import type { Trial } from "../../transcript/trial.js";

/** What `retry_until` says of an answer. `final`: it is rejected, and no further try is made. */
export type Approval =
  | { verdict: "approved"; costUsd: number }
  | { verdict: "rejected" | "final"; reason: string; failing: readonly AssertionResult[]; costUsd: number };

/** Decides one answer. The error says that an assertion could not be evaluated, so that nothing is known of the answer. */
export async function decideApproval(
  { assertions, stopWhen }: Pick<RenderedRetryUntil, "assertions" | "stopWhen">,
  slice: Trial,
  context: AssertionContext,
): Promise<Result<Approval>> {
  const asked = await evaluateAll(assertions, slice, context, (results) => results.some(isFailing));
  if (!asked.success) return asked;
  const failing = asked.data.filter(isFailing);
  const costUsd = costOfResults(asked.data);
  if (failing.length === 0) return success({ verdict: "approved", costUsd });
  const reason = failing.map(({ message }) => message).join("; ");
  if (stopWhen.length === 0) return success({ verdict: "rejected", reason, failing, costUsd });
  const stopped = await evaluateAll(stopWhen, slice, context, (results) => results.some(isFailing));
  if (!stopped.success) return stopped;
  const holds = stopped.data.some(counts) && !stopped.data.some(isFailing);
  const verdict = holds ? "final" : "rejected";
  return success({ verdict, reason, failing, costUsd: costUsd + costOfResults(stopped.data) });
}

/** Assertions without a model come first; no model is called once `isDecided`. */
async function evaluateAll(
  assertions: readonly ParsedAssertion[],
  slice: Trial,
  context: AssertionContext,
  isDecided: (results: readonly AssertionResult[]) => boolean,
): Promise<Result<readonly AssertionResult[]>> {
  const results: AssertionResult[] = [];
  const models = assertions.filter((parsed) => !isDeterministic(parsed));
  for (const parsed of [...assertions.filter(isDeterministic), ...models]) {
    if (!isDeterministic(parsed) && isDecided(results)) break;
    // Models must be called after all assertions that need none.
    const evaluated = await evaluateParsed(parsed, slice, context);
    if (!evaluated.success) return evaluated;
    results.push(evaluated.data);
  }
  return success(results);
}

function counts({ skipped }: AssertionResult): boolean {
  return skipped !== true;
}

function isFailing({ pass }: AssertionResult): boolean {
  return !pass;
}

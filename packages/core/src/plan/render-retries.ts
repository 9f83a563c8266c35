import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import type { AssertionTemplate, RetryUntil } from "../config/resolved-config.js";
import { success, type Result } from "../result.js";
import type { RenderedRetryUntil } from "./run-plan.js";

/** How the parts of a `retry_until` are filled in for a case. */
export interface RetryRenderer {
  assertion(template: AssertionTemplate): Result<ParsedAssertion>;
  text(template: string): Result<string>;
}

/** The `retry_until` of each user turn for one case. The feedback waits for the answer that is rejected. */
export function renderRetries(
  retries: readonly (RetryUntil | null)[],
  renderer: RetryRenderer,
): Result<readonly (RenderedRetryUntil | null)[]> {
  const rendered: (RenderedRetryUntil | null)[] = [];
  for (const retry of retries) {
    const one = retry === null ? success(null) : renderOne(retry, renderer);
    if (!one.success) return one;
    rendered.push(one.data);
  }
  return success(rendered);
}

function renderOne(retry: RetryUntil, renderer: RetryRenderer): Result<RenderedRetryUntil> {
  const assertions = renderAll(retry.assertions, renderer);
  if (!assertions.success) return assertions;
  const stopWhen = renderAll(retry.stopWhen, renderer);
  if (!stopWhen.success) return stopWhen;
  const description = retry.description === null ? success(null) : renderer.text(retry.description);
  if (!description.success) return description;
  const { maxTries, feedback, isStrict } = retry;
  return success({
    assertions: assertions.data,
    stopWhen: stopWhen.data,
    description: description.data,
    maxTries,
    feedback,
    isStrict,
  });
}

function renderAll(templates: readonly AssertionTemplate[], renderer: RetryRenderer): Result<ParsedAssertion[]> {
  const parsed: ParsedAssertion[] = [];
  for (const template of templates) {
    const rendered = renderer.assertion(template);
    if (!rendered.success) return rendered;
    parsed.push(rendered.data);
  }
  return success(parsed);
}

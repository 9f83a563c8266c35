import { evaluateAssertion, type AssertionConfig, type EvaluateAssertionOptions } from "@kindlm/core";
import { preview } from "@kindlm/core/program";
import { expect } from "vitest";

export interface KindlmMatchers<Returned = Promise<void>> {
  /**
   * Evaluates one assertion of KindLM on a conversation, such as
   * `await expect(trial).toPassAssertion({ type: "tool_called", tool: "lookup_order" })`. Rejects with the message of the
   * assertion if it fails, and if it could not be evaluated, also after `not`.
   */
  toPassAssertion(
    assertion: AssertionConfig,
    context?: Omit<EvaluateAssertionOptions, "assertion" | "trial">,
  ): Returned;
}

declare module "vitest" {
  interface Matchers<T> extends KindlmMatchers {}
}

/** The matcher, for those who register it themselves with `expect.extend`. Importing the package does that. */
export async function toPassAssertion(
  trial: EvaluateAssertionOptions["trial"],
  assertion: AssertionConfig,
  context: Omit<EvaluateAssertionOptions, "assertion" | "trial"> = {},
): Promise<{ pass: boolean; message: () => string }> {
  const evaluated = await evaluateAssertion({ ...context, assertion, trial });
  if (!evaluated.success) throw new Error(evaluated.error.message);
  const { pass, message, type } = evaluated.data;
  return { pass, message: () => (pass ? `Expected not to pass: ${preview(assertion)}` : `${type}: ${message}`) };
}

expect.extend({ toPassAssertion });

import { renderTemplate, type TemplateProblem } from "../values/template.js";
import type { ToolAnswer } from "./tool-config.js";
import type { AnswerScope, HandlerOutcome } from "./tool-handler.js";

/** A written answer with the placeholders filled in for one call of the tool. */
export function renderAnswer(tool: string, answer: ToolAnswer, values: AnswerScope): HandlerOutcome {
  const rendered = renderTemplate(answer, { values });
  if (!rendered.success) return missingValues(tool, rendered.error);
  const ready = rendered.data;
  if ("return" in ready) return { ok: true, value: ready.return };
  const { type, message, retryable, recommendations } = ready.error;
  return {
    ok: false,
    failure: {
      errorType: type,
      message,
      ...(retryable === undefined ? {} : { retryable }),
      ...(recommendations === undefined ? {} : { recommendations }),
    },
  };
}

/**
 * An optional argument that was left out is the usual cause, and then the model can do something about it. What the
 * state lacks is the fault of the test alone.
 */
export function missingValues(tool: string, problems: readonly TemplateProblem[]): HandlerOutcome {
  const names = problems.map((problem) => `{{${problem.name}}}`).join(", ");
  if (problems.every(({ name }) => !isStateName(name))) {
    return { ok: false, failure: { errorType: "logical", message: `The call has no value for ${names}` } };
  }
  return brokenFixture(`The answer of the simulated tool "${tool}" needs ${names}, which the state does not hold`);
}

/** True for a placeholder that reads the state of the trial. */
export function isStateName(name: string): boolean {
  return name === "state" || name.startsWith("state.");
}

/** What the test's own fixture cannot answer. */
export function brokenFixture(message: string): HandlerOutcome {
  return { ok: false, failure: { errorType: "exception", message }, broken: true };
}

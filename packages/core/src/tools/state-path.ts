import { renderTemplate, type TemplateProblem } from "../values/template.js";
import { failure, success, type Result } from "../result.js";

/** The steps of a path such as `orders.{{args.order_id}}.status`; dots within a placeholder divide nothing. */
export function stepsOf(path: string): readonly string[] {
  return path.match(/(?:\{\{[^{}]*\}\}|[^.])+/g) ?? [path];
}

/** The steps with their placeholders filled in; a value that holds a dot stays one step. */
export function renderSteps(
  steps: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Result<readonly string[], readonly TemplateProblem[]> {
  const rendered = renderTemplate<readonly unknown[]>(steps, { values });
  if (!rendered.success) return failure(rendered.error);
  return success(rendered.data.map((step) => (typeof step === "string" ? step : JSON.stringify(step))));
}

/** What is wrong with a path of the state; null when nothing is. */
export function statePathProblem(path: string): string | null {
  const steps = path.replaceAll(/\{\{[^{}]*\}\}/g, "x").split(".");
  return steps.every((step) => step !== "")
    ? null
    : `"${path}" is not a path in the state\nWrite names separated by dots, such as orders.status`;
}

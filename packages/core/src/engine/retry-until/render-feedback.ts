import { kindlmError } from "../../errors/kindlm-error.js";
import type { RenderedRetryUntil } from "../../plan/run-plan.js";
import { failure, success, type Result } from "../../result.js";
import { renderTemplate } from "../../values/template.js";

const start = "Your last answer to this was not accepted: {{reason}}";
const end = "Please answer again.";

/** What is told with the user's message after the answer of try `tryNumber` was rejected. */
export function renderFeedback(
  { feedback, description }: Pick<RenderedRetryUntil, "feedback" | "description">,
  reason: string,
  tryNumber: number,
  scope: Readonly<Record<string, unknown>>,
): Result<string> {
  const plain = [start, ...(description === null ? [] : ["What is asked for: {{description}}"]), end].join("\n");
  const values = { ...scope, reason, description: description ?? "", try: tryNumber };
  const filled = renderTemplate<unknown>(feedback ?? plain, { values });
  if (filled.success) return success(typeof filled.data === "string" ? filled.data : JSON.stringify(filled.data));
  const name = filled.error[0]?.name ?? "";
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", `Unknown placeholder {{${name}}} in the feedback`));
}

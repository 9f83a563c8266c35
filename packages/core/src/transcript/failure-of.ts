import type { ToolFailure } from "./tool-failure.js";
import type { TrialToolCall } from "./trial.js";

/** How the call failed. One that waits for an approval has not, though its error keeps it from passing for a success. */
export function failureOf({ error, permission }: Pick<TrialToolCall, "error" | "permission">): ToolFailure | undefined {
  return permission?.decision === "pending" ? undefined : error;
}

import type { AssertionResult } from "./assertion-result.js";

/** Whether a result is from before the assertions of its test. */
export function isDecidedBefore({ type }: AssertionResult): boolean {
  return type === "retry_until" || type === "on_tool_error" || type === "approvals";
}

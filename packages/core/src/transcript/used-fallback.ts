import type { ToolFailure } from "./tool-failure.js";

/** What answered a tool call in place of the real tool. */
export interface UsedFallback {
  /** An answer of the config, or what the same call returned earlier in the run. */
  by: "answer" | "last_value";
  /** Why the tool itself did not answer. */
  reason: ToolFailure;
}

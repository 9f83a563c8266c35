import { record } from "../shape/record.js";
import { oneOf } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { toolFailureShape } from "./tool-failure.js";

/** What answered a tool call in place of the real tool. */
export const usedFallbackShape = record({
  /** An answer of the config, or what the same call returned earlier in the run. */
  by: oneOf(["answer", "last_value"]),
  /** Why the tool itself did not answer. */
  reason: toolFailureShape,
});
export type UsedFallback = Static<typeof usedFallbackShape>;

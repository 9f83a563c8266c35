import { described, nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { anything, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { toolFailureShape } from "./tool-failure.js";

/** What a hook of a plugin made of a tool call, so that its answer is never taken for the tool's own. */
export const hookDecisionShape = record(
  {
    plugin: text,
    hook: oneOf(["preToolUse", "postToolUse"]),
    decision: oneOf(["deny", "replace"]),
    reason: nullable(text),
  },
  {
    /** What the tool returned before `postToolUse` replaced it. */
    returned: described("What the tool returned before that", anything),
    /** How the tool failed before `postToolUse` replaced that. */
    error: described("How the tool failed before that", toolFailureShape),
  },
);
export type HookDecision = Static<typeof hookDecisionShape>;

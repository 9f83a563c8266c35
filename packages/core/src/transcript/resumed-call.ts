import { oneOf } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/**
 * A call of a tool with effects that was made before the interruption, and not repeated: it had its answer, which stands
 * again, or its outcome is unknown, and it was sealed with an error.
 */
export const resumedCallShape = oneOf(["answered_before", "sealed"]);
export type ResumedCall = Static<typeof resumedCallShape>;

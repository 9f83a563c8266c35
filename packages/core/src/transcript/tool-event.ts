import { record } from "../shape/record.js";
import { json, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** Something that a tool reported while it ran, in addition to its result. */
export const toolEventShape = record({
  name: text,
  /** Null when the tool gave none. */
  data: json,
});
export type ToolEvent = Static<typeof toolEventShape>;

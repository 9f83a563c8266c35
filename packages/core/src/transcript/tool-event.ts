import { described } from "../shape/compound.js";
import { volatile } from "../shape/field.js";
import { record } from "../shape/record.js";
import { json, number, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** Something that a tool reported while it ran, in addition to its result. */
export const toolEventShape = record(
  {
    name: text,
    /** Null when the tool gave none. */
    data: json,
  },
  {
    /** When it was emitted, milliseconds since the epoch; absent if that is not known. */
    at: described("When it was emitted, milliseconds since the epoch", volatile(number)),
  },
);
export type ToolEvent = Static<typeof toolEventShape>;

import { record } from "../shape/record.js";
import { count, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** A place in a text file. Line and column count from 1, the column in UTF-16 code units. */
export const positionShape = record({
  /** Path as the user would type it: relative to the working folder where it is below it. */
  file: text,
  line: count,
  column: count,
  /** How many characters the marked piece is long; at least 1. */
  length: count,
});
export type SourcePosition = Static<typeof positionShape>;

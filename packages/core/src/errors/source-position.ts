/** A place in a text file. Line and column count from 1, the column in UTF-16 code units. */
export interface SourcePosition {
  /** Path as the user would type it: relative to the working folder where it is below it. */
  file: string;
  line: number;
  column: number;
  /** How many characters the marked piece is long; at least 1. */
  length: number;
}

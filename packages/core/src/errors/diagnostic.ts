import type { ErrorCode } from "./kindlm-error.js";

/** A place in a text file. Line and column count from 1, the column in UTF-16 code units. */
export interface SourcePosition {
  /** Path as the user would type it: relative to the working folder where it is below it. */
  file: string;
  line: number;
  column: number;
  /** How many characters the marked piece is long; at least 1. */
  length: number;
}

/** One problem of a config, with all that is needed to show it without the file at hand. */
export interface Diagnostic {
  code: ErrorCode;
  severity: "error" | "warning";
  /** What is wrong, one line without a full stop, such as `Unknown assertion type "tool_caled"`. */
  message: string;
  /** What to do, such as `Did you mean "tool_called"?`; one line. */
  hint?: string;
  position?: SourcePosition;
  /** The lines around the position, already cut to a readable width. */
  frame?: readonly { line: number; text: string }[];
  /** Where a file is named, such as `suite "order-agent", test "happy-path"`. */
  referencedIn?: string;
  /** Name of the suite that the position is part of, if it has one. */
  suite?: string;
  /** Name of the test that the position is part of, if it has one. */
  test?: string;
}

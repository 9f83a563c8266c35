import type { SchemaSlip } from "./find-schema-slips.js";

/** A violation of a JSON Schema. */
export interface SchemaViolation {
  /** Path into the value, such as `items[2].price`; empty for the value itself. */
  path: string;
  /** What must hold there, such as `must be one of "a", "b"`; reads on after the name of the value. */
  message: string;
  /** What stands at the path. */
  actual?: unknown;
}

/** A compiled JSON Schema. */
export interface SchemaValidator {
  /**
   * All violations, the first 100; empty when the value is valid. The value is not changed.
   * Throws only RegexTimeout, for a `pattern` that backtracks without end, and EvaluationTimeout.
   */
  validate(value: unknown): readonly SchemaViolation[];
  /** What in the schema only seems to check something. */
  slips?(): readonly SchemaSlip[];
}

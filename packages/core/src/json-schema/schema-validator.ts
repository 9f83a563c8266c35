/** A violation of a JSON Schema. */
export interface SchemaViolation {
  /** Path into the value, such as `items[2].price`; empty for the value itself. */
  path: string;
  message: string;
}

/** A compiled JSON Schema. */
export interface SchemaValidator {
  /** All violations; empty when the value is valid. The value is not changed. */
  validate(value: unknown): readonly SchemaViolation[];
}

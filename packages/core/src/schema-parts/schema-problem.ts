/** Why a written value breaks its schema. */
export interface SchemaProblem {
  /** Into the value; ends at the key itself for a key that is unknown or missing. */
  path: readonly (string | number)[];
  /** One line without a full stop. */
  message: string;
  hint?: string;
  /** The key is to be marked rather than its value: it is unknown. */
  atKey?: boolean;
}

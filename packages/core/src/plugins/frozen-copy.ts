import { redactValue } from "../redaction/redact-value.js";
import { deepFreeze } from "../values/deep-freeze.js";

/** Makes copies for hooks: nothing that a hook does to one reaches the run, and no secret is in it. */
export type CopyForHook = <T>(value: T) => T;

export function createFrozenCopy(redact: (text: string) => string): CopyForHook {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what KindLM records is data; a copy of it has its shape
  return <T>(value: T): T => deepFreeze(value === undefined ? value : redactValue(value, redact)) as T;
}

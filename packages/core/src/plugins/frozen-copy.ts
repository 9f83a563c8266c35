import { redactCopy } from "../redaction/redact-value.js";
import { deepFreeze } from "../values/deep-freeze.js";

/** Makes copies for hooks: nothing that a hook does to one reaches the run, and no secret is in it. */
export type CopyForHook = <T>(value: T) => T;

export function createFrozenCopy(redact: (text: string) => string): CopyForHook {
  return (value) => deepFreeze(redactCopy(value, redact));
}

import type { Trial } from "../../transcript/trial.js";

/** What a check of one's own may find, written out. At least one of `pass` and `score` is there. */
export type CheckVerdict =
  | { pass: boolean; score?: number; message?: string }
  | { pass?: boolean; score: number; message?: string };

/** What a check returns: whether it passes, a score from 0 to 1 (0.5 and more pass), or both with a message. */
export type CheckReturn = boolean | number | CheckVerdict;

/** A user's check. `options` is the value of `with` in the config. */
export type Check<Options = unknown> = (trial: Trial, options: Options) => CheckReturn | Promise<CheckReturn>;

/**
 * Declares a check for `{ type: module, module: ./checks.ts#name }`; it gives the function its types and nothing else.
 *
 * A check that throws, takes longer than its time or returns something else makes the trial errored, not failed.
 */
export function defineCheck<Options = unknown>(check: Check<Options>): Check<Options> {
  return check;
}

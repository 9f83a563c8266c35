import { moduleAction } from "../../modules/module-action.js";
import type { Result } from "../../result.js";
import type { Trial } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";

export interface CheckInput {
  trial: Trial;
  /** The value of `with`. */
  options: unknown;
  /** As the verdict calls the check. */
  name: string;
}

/** Calls a check. The outcome is its verdict, or why what it returned is none. */
export const checkAction = moduleAction<CheckInput, Result<AssertionOutcome, string>>("check");

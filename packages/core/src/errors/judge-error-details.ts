import type { LimitName } from "./limit-name.js";

/** Details of a failure of a judge, or of another model that an assertion asks. */
export interface JudgeErrorDetails {
  /** Id of the model. */
  judge?: string;
  /** How often it was asked the question that has no answer; retries of a request are not counted. */
  tries?: number;
  /** Its last reply, where that could not be used; else what its provider said. */
  body?: string;
  /** The error that kept it from answering: one of the provider, or of a limit. */
  causedBy?: { code: string; message: string; limit?: LimitName };
}

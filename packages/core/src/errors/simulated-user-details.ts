import type { LimitName } from "./limit-name.js";

/** Details of a failure of the model that plays the user. */
export interface SimulatedUserDetails {
  role: "simulated_user";
  /** Id of the model that plays the user. */
  model: string;
  /** How often it was asked for the message that is missing. */
  tries: number;
  /** The last thing that it wrote, where that could not be used; else what its provider said. */
  body?: string;
  /** The error that kept it from writing: one of the provider, or of a limit. */
  causedBy?: { code: string; message: string; limit?: LimitName };
}

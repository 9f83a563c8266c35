import type { LimitName } from "./limit-name.js";

/** Of an error with what KindLM keeps on the disk. */
export interface StoreDetails {
  path: string;
  /** Of a file that cannot be read, from 1. */
  line?: number;
  systemCode?: string;
  /** Of a journal that does not say yet what its run is: it was ended before it began. */
  isUnstarted?: boolean;
  /** The version of KindLM that wrote the file, where it is that which keeps this one from reading it. */
  writtenBy?: string;
}

/**
 * A run that cannot be had. `none`: there are no runs at all. `several`: what was asked for is the beginning of more ids
 * than one.
 */
export interface MissingRun {
  run: string;
  isUnfinished?: boolean;
  reason?: "none" | "several" | "nothing_to_rerun";
}

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

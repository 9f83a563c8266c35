/** What is known of a file that can not be used. */
export interface StoreDetails {
  path: string;
  /** Of a file that can not be read, from 1. */
  line?: number;
  systemCode?: string;
  /** The version of KindLM that wrote the file, where it is that which keeps this one from reading it. */
  writtenBy?: string;
}

/** Why there is no such run. `none`: there are no runs at all. `several`: the beginning of an id that is not the only one's. */
export interface MissingRun {
  run: string;
  isUnfinished?: boolean;
  reason?: "none" | "several" | "nothing_to_rerun";
}

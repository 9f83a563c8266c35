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

import type { Shard } from "../run-options.js";

/** A shard, with what tells whether others are parts of the same run. */
export interface ShardInfo extends Shard {
  /** All suites of the run in their order, each with its number of cases. */
  suites: readonly { name: string; cases: number }[];
  /** Hashes over the whole run, each equal in all of its shards. */
  planHash: {
    /** Which cases there are. */
    cases: string;
    /** What could change their results. */
    contents: string;
    /** What the run is judged by. */
    rules: string;
    /** What the cases were dealt out by; null when there were no durations. */
    durations: string | null;
  };
}

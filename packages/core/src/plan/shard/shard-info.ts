import { list, nullable } from "../../shape/compound.js";
import { internal } from "../../shape/field.js";
import { record } from "../../shape/record.js";
import { count, text, word } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { shardShape } from "../run-options.js";

/** A shard, with what shows whether others belong to the same run. */
export const shardInfoShape = record({
  ...shardShape.always,
  /** All suites of the run in their order, each with its number of cases. */
  suites: internal(list(record({ name: text, cases: count }))),
  /** Hashes over the whole run, each equal in all of its shards. */
  planHash: internal(
    record({
      /** Which cases there are. */
      cases: word,
      /** What could change their results. */
      contents: word,
      /** What the run is judged by. */
      rules: word,
      /** What the cases were dealt out by; null when there were no durations. */
      durations: nullable(word),
    }),
  ),
});
export type ShardInfo = Static<typeof shardInfoShape>;

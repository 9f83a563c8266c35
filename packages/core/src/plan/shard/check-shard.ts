import { failure, success, type Result } from "../../result.js";
import type { Shard } from "../run-options.js";

/** Why there is no such shard, and what to write instead. */
interface ShardProblem {
  message: string;
  hint: string;
}

/** More jobs than any CI system starts: more likely a slip than a wish. */
const mostShards = 10_000;

/** Whether there is such a shard. */
export function checkShard({ index, of }: Shard): Result<Shard, ShardProblem> {
  const problem = (message: string, hint: string): Result<never, ShardProblem> => failure({ message, hint });
  if (!Number.isInteger(index) || !Number.isInteger(of)) {
    return problem(`Shard ${index} of ${of}: both must be whole numbers`, "Use --shard i/n");
  }
  if (of < 1)
    return problem("The number of shards must be at least 1", "Use --shard 1/1 for the whole run, or remove --shard");
  if (of > mostShards) return problem(`${of} shards exceed the limit of ${mostShards}`, "Use fewer shards");
  if (index < 1) return problem("Shards start at 1, not 0", `Write --shard 1/${of}`);
  if (index > of) return problem(`Shard ${index} of ${of} does not exist`, `The last is --shard ${of}/${of}`);
  return success({ index, of });
}

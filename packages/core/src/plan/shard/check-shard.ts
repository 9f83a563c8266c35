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
    return problem(`Shard ${index} of ${of}: both must be whole numbers`, "Write --shard i/n");
  }
  if (of < 1) return problem("There cannot be 0 shards", "Write --shard 1/1 for a run in one piece, or leave it out");
  if (of > mostShards) return problem(`${of} shards are more than ${mostShards}`, "Use fewer, each for more cases");
  if (index < 1) return problem("There is no shard 0: the first is 1", `Write --shard 1/${of}`);
  if (index > of) return problem(`There is no shard ${index} of ${of}`, `The last is --shard ${of}/${of}`);
  return success({ index, of });
}

import { failure, success, type Result } from "../../result.js";
import type { Shard } from "../run-options.js";

/** Why a shard cannot be determined, and what to write instead. */
export interface ShardProblem {
  message: string;
  hint: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** More jobs than any CI system starts: more likely a slip than a wish. */
const mostShards = 10_000;

/** What CI systems tell each of several equal jobs. */
const ciSystems: readonly { name: string; index: string; of: string; first: 0 | 1 }[] = [
  { name: "GitLab", index: "CI_NODE_INDEX", of: "CI_NODE_TOTAL", first: 1 },
  { name: "CircleCI", index: "CIRCLE_NODE_INDEX", of: "CIRCLE_NODE_TOTAL", first: 0 },
  { name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", of: "BUILDKITE_PARALLEL_JOB_COUNT", first: 0 },
];

/** Reads `2/4`; `auto` takes what the CI system says of its job. */
export function parseShard(text: string, env: Env): Result<Shard, ShardProblem> {
  const written = text.trim();
  if (written === "auto") return shardOfJob(env);
  const parts = written.split("/");
  const [index, of] = parts.map(wholeNumber);
  if (parts.length !== 2 || index === undefined || of === undefined || index === null || of === null) {
    return problem(
      `"${text}" is not a shard`,
      "Write i/n: --shard 1/4 is the first of four, --shard auto asks the CI system",
    );
  }
  return checkShard({ index, of });
}

function shardOfJob(env: Env): Result<Shard, ShardProblem> {
  for (const { name, index, of, first } of ciSystems) {
    const [writtenIndex, writtenOf] = [env[index], env[of]];
    // GitLab sets the total in every job, and the index in parallel ones alone.
    if (writtenOf === undefined || (writtenIndex === undefined && writtenOf.trim() !== "1")) continue;
    const [number, total] = [wholeNumber(writtenIndex ?? String(first)), wholeNumber(writtenOf)];
    if (number !== null && total !== null) return checkShard({ index: number + 1 - first, of: total });
    return problem(
      `${name} says that this is job ${writtenIndex ?? ""} of ${writtenOf}, which are not whole numbers`,
      `Look at ${index} and ${of}`,
    );
  }
  const known = ciSystems.map(({ index, of }) => `${index} and ${of}`).join(", ");
  return problem(
    "Nothing says which of several jobs this is",
    `--shard auto reads ${known}; write --shard i/n otherwise`,
  );
}

/** Whether there is such a shard. */
export function checkShard({ index, of }: Shard): Result<Shard, ShardProblem> {
  if (!Number.isInteger(index) || !Number.isInteger(of)) {
    return problem(`Shard ${index} of ${of}: both must be whole numbers`, "Write --shard i/n");
  }
  if (of < 1) return problem("There cannot be 0 shards", "Write --shard 1/1 for a run in one piece, or leave it out");
  if (of > mostShards) return problem(`${of} shards are more than ${mostShards}`, "Use fewer, each for more cases");
  if (index < 1) return problem("There is no shard 0: the first is 1", `Write --shard 1/${of}`);
  if (index > of) return problem(`There is no shard ${index} of ${of}`, `The last is --shard ${of}/${of}`);
  return success({ index, of });
}

function wholeNumber(text: string): number | null {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}

function problem(message: string, hint: string): Result<never, ShardProblem> {
  return failure({ message, hint });
}

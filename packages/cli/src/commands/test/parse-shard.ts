import { checkShard } from "@kindlm/core/program";
import { failure, type Result, type Shard } from "@kindlm/core";

/** Why a shard cannot be determined, and what to write instead. */
interface ShardProblem {
  message: string;
  hint: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Variables in which CI systems number parallel jobs. */
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
      "Use i/n, such as 1/4 for the first of four shards, or auto to ask the CI system",
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
      `${name} reports job ${writtenIndex ?? ""} of ${writtenOf}, but both must be whole numbers`,
      `Check ${index} and ${of}`,
    );
  }
  const known = ciSystems.map(({ index, of }) => `${index} and ${of}`).join(", ");
  return problem("Could not find out which shard this job is", `Set --shard i/n. --shard auto reads ${known}`);
}

function wholeNumber(text: string): number | null {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}

function problem(message: string, hint: string): Result<never, ShardProblem> {
  return failure({ message, hint });
}

import { failure, success, type Result, type Shard } from "@kindlm/core";
import { checkShard } from "@kindlm/core/program";

/** Why a shard cannot be determined, and what to write instead. */
interface ShardProblem {
  message: string;
  hint: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** A system that starts equal jobs, and the variables in which it numbers them. */
interface JobSystem {
  name: string;
  index: string;
  /** Null where a job is not told how many there are. */
  total: string | null;
  /** Further variables that `position` needs. */
  bounds?: readonly string[];
  /** Place of the job from 1. Null if the numbers leave gaps. */
  position(index: number, total: number, bounds: readonly number[]): number | null;
}

const fromOne = (index: number): number => index;
const fromZero = (index: number): number => index + 1;

/** The first that has numbered this job counts: its jobs may run on a later one. */
const systems: readonly JobSystem[] = [
  { name: "GitLab", index: "CI_NODE_INDEX", total: "CI_NODE_TOTAL", position: fromOne },
  { name: "CircleCI", index: "CIRCLE_NODE_INDEX", total: "CIRCLE_NODE_TOTAL", position: fromZero },
  { name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", total: "BUILDKITE_PARALLEL_JOB_COUNT", position: fromZero },
  { name: "Azure Pipelines", index: "SYSTEM_JOBPOSITIONINPHASE", total: "SYSTEM_TOTALJOBSINPHASE", position: fromOne },
  { name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", total: "AWS_BATCH_JOB_ARRAY_SIZE", position: fromZero },
  {
    name: "Slurm",
    index: "SLURM_ARRAY_TASK_ID",
    total: "SLURM_ARRAY_TASK_COUNT",
    bounds: ["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"],
    position: (index, total, [first = 0, last = 0, step = 1]) =>
      first + (total - 1) * step === last ? (index - first) / step + 1 : null,
  },
  { name: "Kubernetes", index: "JOB_COMPLETION_INDEX", total: null, position: fromZero },
];

/** Reads `2/4`; `auto` and `auto/4` take what the CI system says of its job. */
export function parseShard(text: string, env: Env): Result<Shard, ShardProblem> {
  const [place = "", count, ...more] = text.trim().split("/");
  const of = count === undefined ? null : wholeNumber(count);
  const isWhole = more.length === 0 && (count === undefined) === (of === null);
  if (isWhole && place.trim() === "auto") return shardOfJob(env, of);
  const index = wholeNumber(place);
  if (isWhole && index !== null && of !== null) return checkShard({ index, of });
  return problem(
    `"${text}" is not a shard`,
    "Use i/n, such as 1/4 for the first of four shards, or auto to ask the CI system",
  );
}

function shardOfJob(env: Env, given: number | null): Result<Shard, ShardProblem> {
  const system = systems.find((one) => isNumbered(one, env));
  if (system === undefined) {
    const known = systems.map(({ index, total }) => (total === null ? index : `${index} and ${total}`)).join(", ");
    return problem("Could not find out which shard this job is", `Set --shard i/n. --shard auto reads ${known}`);
  }
  const { name, index, total, bounds = [], position } = system;
  const totals = numbersOf(total === null ? [] : [total], env);
  if (!totals.success) return totals;
  const limits = numbersOf(bounds, env);
  if (!limits.success) return limits;
  const of = totals.data[0] ?? given;
  if (of === null) {
    const hint = `Write --shard auto/n, where n is how many jobs there are. Only the number of this one is in ${index}`;
    return problem(`${name} does not say how many jobs there are`, hint);
  }
  if (given !== null && given !== of) {
    return problem(`${name} reports ${of} jobs, not ${given}`, `Write --shard auto, or name the shard: i/${given}`);
  }
  // A job that is the only one may have no number.
  if (env[index] === undefined) return checkShard({ index: 1, of });
  const own = numbersOf([index], env);
  if (!own.success) return own;
  const [number = 0] = own.data;
  const place = position(number, of, limits.data);
  if (place === null || !Number.isInteger(place)) {
    const hint = "Start an array without gaps, such as 1-4, or name the shard: --shard i/n";
    return problem(`The ${of} jobs of ${name} are not numbered in equal steps`, hint);
  }
  return checkShard({ index: place, of });
}

/** GitLab sets the total in every job, and the index in parallel ones alone. */
function isNumbered({ index, total }: JobSystem, env: Env): boolean {
  if (total === null) return env[index] !== undefined;
  return env[total] !== undefined && (env[index] !== undefined || env[total].trim() === "1");
}

function numbersOf(names: readonly string[], env: Env): Result<number[], ShardProblem> {
  const numbers: number[] = [];
  for (const name of names) {
    const number = wholeNumber(env[name] ?? "");
    if (number === null) {
      const said = env[name] === undefined ? "is not set" : `is ${JSON.stringify(env[name])}, not a whole number`;
      return problem(`Could not find out which shard this job is: ${name} ${said}`, "Check it, or set --shard i/n");
    }
    numbers.push(number);
  }
  return success(numbers);
}

function wholeNumber(text: string): number | null {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}

function problem(message: string, hint: string): Result<never, ShardProblem> {
  return failure({ message, hint });
}

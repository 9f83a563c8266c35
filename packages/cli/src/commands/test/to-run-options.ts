import { type RunTestsOptions, failure, type Result, type Shard } from "@kindlm/core";
import { given } from "../given.js";
import { isCi } from "../../terminal/is-ci.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import { longOf, type Flags } from "../flag.js";
import { testCommand, withoutWatch } from "./command.js";
import { checkShard } from "@kindlm/core/program";

export type TestInvocation = InvocationOf<typeof testCommand>;
type TestFlags = TestInvocation["flags"];
type Env = TestInvocation["environment"]["env"];

/** The flags as core takes them. Throws a UsageError where they contradict each other. */
export function toRunOptions({ flags, environment }: TestInvocation, paths: readonly string[]): RunTestsOptions {
  const { suite: suites, test: tests, exclude, tag: tags, model: models, journal, plugins, confirm } = flags;
  const { runs, concurrency, seed, retry, bail, root, cassette, cassetteLatency, shardDurations } = flags;
  const { timeout: trialTimeoutMs, gate: gatePassRate, maxCost: maxCostUsd } = flags;
  const options: RunTestsOptions = {
    paths,
    ci: isCi(environment.env),
    filters: { suites, tests, exclude, tags, models },
    // A switch that is not set leaves a resumed run as it was started.
    ...(journal ? {} : { journal }),
    ...(plugins ? {} : { plugins }),
    ...(confirm ? { confirm } : {}),
    ...given({ runs, concurrency, seed, retry, bail, root, cassette, cassetteLatency, shardDurations }),
    ...given({ trialTimeoutMs, gatePassRate, maxCostUsd }),
  };
  checkConfirm(flags);
  checkUpload(flags);
  addShard(options, flags, environment.env);
  if (flags.baseline !== undefined) options.baseline = flags.baseline === "on";
  addEarlierRun(options, flags);
  return options;
}

/** Throws a UsageError if a session of watch mode would be pointless, or the flags cannot be combined with it. */
export function checkWatch({ flags, environment }: TestInvocation): void {
  const values: Readonly<Record<string, unknown>> = flags;
  const known: Flags = testCommand.flags;
  const writtenAs = (name: string): string | null => {
    const flag = known[name];
    return flag === undefined || values[name] === flag.absent ? null : longOf(name, flag);
  };
  if (!flags.watch) {
    const flag = writtenAs("spend") ?? writtenAs("clear");
    if (flag !== null) throw new UsageError(`${flag} needs --watch`, "Add --watch");
    return;
  }
  const flag = Object.keys(withoutWatch)
    .map(writtenAs)
    .find((written) => written !== null);
  if (flag !== undefined) {
    throw new UsageError(`--watch cannot be combined with ${flag}`, "Remove one of the two options");
  }
  if (isCi(environment.env)) {
    const fix = "Remove --watch, or set CI=false if a person works here";
    throw new UsageError("--watch waits for changes to files, and CI makes none", fix);
  }
}

function checkConfirm({ confirm, baseline, shard }: TestFlags): void {
  if (!confirm) return;
  if (baseline === "off") {
    throw new UsageError("--confirm cannot be combined with --baseline off", "Remove one of the two options");
  }
  if (shard !== undefined) {
    throw new UsageError(
      "--confirm cannot be combined with --shard",
      "Remove --confirm: shards are compared after the merge",
    );
  }
}

function checkUpload({ upload, list, vacuity, journal }: TestFlags): void {
  if (!upload) return;
  if (!journal) throw new UsageError("--upload cannot be combined with --no-journal", "Remove --no-journal");
  const other = list ? "--list" : vacuity ? "--vacuity" : null;
  if (other !== null)
    throw new UsageError(`--upload cannot be combined with ${other}`, "Remove one of the two options");
}

function addShard(options: RunTestsOptions, { shard, shardDurations, journal, list }: TestFlags, env: Env): void {
  if (shard === undefined) {
    if (shardDurations === undefined) return;
    throw new UsageError("--shard-durations needs --shard", "Add --shard i/n");
  }
  if (!journal && !list) throw new UsageError("--shard cannot be combined with --no-journal", "Remove --no-journal");
  const parsed = parseShard(shard, env);
  if (!parsed.success) throw new UsageError(parsed.error.message, parsed.error.hint);
  options.shard = parsed.data;
}

/** `--run` alone means `--resume --run`: nothing else uses a run on its own. */
function addEarlierRun(options: RunTestsOptions, { resume, rerunFailed, run, journal }: TestFlags): void {
  if (resume && rerunFailed) {
    throw new UsageError(
      "--resume cannot be combined with --rerun-failed",
      "Resume the run first, then rerun what failed",
    );
  }
  if (rerunFailed) options.rerunFailed = run ?? "last";
  else if (resume || run !== undefined) options.resume = run ?? "last";
  if (options.resume !== undefined && !journal) {
    throw new UsageError("--resume cannot be combined with --no-journal", "Remove --no-journal");
  }
}

/** Why a shard cannot be determined, and what to write instead. */
interface ShardProblem {
  message: string;
  hint: string;
}

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

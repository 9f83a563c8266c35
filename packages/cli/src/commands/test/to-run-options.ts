import { cassetteLatencies, cassetteModes, didYouMean, parseShard, type RunTestsOptions } from "@kindlm/core";
import { UsageError } from "../../usage-error.js";
import type { TestFlags } from "./command.js";

/** The flags as core takes them. Throws a UsageError where they contradict each other. */
export function toRunOptions(
  flags: TestFlags,
  paths: readonly string[],
  ci: boolean,
  env: Readonly<Record<string, string | undefined>>,
): RunTestsOptions {
  const { suite: suites, test: tests, exclude, tag: tags, model: models } = flags;
  const options: RunTestsOptions = { paths, ci, filters: { suites, tests, exclude, tags, models } };
  if (flags.runs !== undefined) options.runs = flags.runs;
  if (flags.concurrency !== undefined) options.concurrency = flags.concurrency;
  if (flags.seed !== undefined) options.seed = flags.seed;
  if (flags.timeout !== undefined) options.trialTimeoutMs = flags.timeout;
  if (flags.retry !== undefined) options.retry = flags.retry;
  if (flags.bail !== undefined) options.bail = flags.bail;
  if (flags.gate !== undefined) options.gatePassRate = flags.gate;
  if (flags.maxCost !== undefined) options.maxCostUsd = flags.maxCost;
  if (flags.root !== undefined) options.root = flags.root;
  addShard(options, flags, env);
  if (flags.cassette !== undefined) options.cassette = chosen("--cassette", flags.cassette, cassetteModes);
  if (flags.cassetteLatency !== undefined) {
    options.cassetteLatency = chosen("--cassette-latency", flags.cassetteLatency, cassetteLatencies);
  }
  if (flags.baseline !== undefined) options.baseline = chosen("--baseline", flags.baseline, ["on", "off"]) === "on";
  addConfirm(options, flags);
  if (!flags.plugins) options.plugins = false;
  if (!flags.journal) options.journal = false;
  addEarlierRun(options, flags);
  return options;
}

function addConfirm(options: RunTestsOptions, { confirm, baseline, shard }: TestFlags): void {
  if (!confirm) return;
  if (baseline === "off") {
    throw new UsageError("--confirm and --baseline off cannot go together", "Leave one of them out");
  }
  if (shard !== undefined) {
    throw new UsageError("--confirm and --shard cannot go together", "A shard is compared when all are merged");
  }
  options.confirm = true;
}

function addShard(
  options: RunTestsOptions,
  { shard, shardDurations, journal, list }: TestFlags,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (shardDurations !== undefined) options.shardDurations = shardDurations;
  if (shard === undefined) {
    if (shardDurations === undefined) return;
    throw new UsageError("--shard-durations needs --shard", "Write --shard i/n");
  }
  if (!journal && !list)
    throw new UsageError("--shard needs the journal, which kindlm merge reads", "Leave --no-journal out");
  const parsed = parseShard(shard, env);
  if (!parsed.success) throw new UsageError(parsed.error.message, parsed.error.hint);
  options.shard = parsed.data;
}

/** `--run` alone means `--resume --run`: what else would one do with a run. */
function addEarlierRun(options: RunTestsOptions, { resume, rerunFailed, run, journal }: TestFlags): void {
  if (resume && rerunFailed) {
    throw new UsageError(
      "--resume and --rerun-failed cannot both be asked for",
      "Resume the run first, then run again what failed",
    );
  }
  if (rerunFailed) options.rerunFailed = run ?? "last";
  else if (resume || run !== undefined) options.resume = run ?? "last";
  if (options.resume !== undefined && !journal) {
    throw new UsageError("--resume needs the journal", "Leave --no-journal out");
  }
}

function chosen<T extends string>(option: string, written: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === written);
  if (found !== undefined) return found;
  const fix = didYouMean(written, choices) ?? `Choose one of ${choices.join(", ")}`;
  throw new UsageError(`${option} has no "${written}"`, fix);
}

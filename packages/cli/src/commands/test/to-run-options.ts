import type { RunTestsOptions } from "@kindlm/core";
import { UsageError } from "../../usage-error.js";
import type { TestFlags } from "./command.js";

/** The flags as core takes them. Throws a UsageError where they contradict each other. */
export function toRunOptions(flags: TestFlags, paths: readonly string[], ci: boolean): RunTestsOptions {
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
  if (!flags.plugins) options.plugins = false;
  if (!flags.journal) options.journal = false;
  addEarlierRun(options, flags);
  return options;
}

/** `--run` alone means `--resume --run`: what else would one do with a run. */
function addEarlierRun(options: RunTestsOptions, { resume, rerunFailed, run, journal }: TestFlags): void {
  if (resume && rerunFailed) {
    throw new UsageError(
      "--resume and --rerun-failed can not both be asked for",
      "Resume the run first, then run again what failed",
    );
  }
  if (rerunFailed) options.rerunFailed = run ?? "last";
  else if (resume || run !== undefined) options.resume = run ?? "last";
  if (options.resume !== undefined && !journal) {
    throw new UsageError("--resume needs the journal", "Leave --no-journal out");
  }
}

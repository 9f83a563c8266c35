import type { Environment, RunTestsOptions } from "@kindlm/core";
import { spanSettingsOf } from "@kindlm/core/program";
import { given } from "../given.js";
import { isCi } from "../../terminal/is-ci.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import { longOf, type Flags } from "../flag.js";
import { testCommand, withoutWatch } from "./command.js";
import { parseShard } from "./parse-shard.js";

export type TestInvocation = InvocationOf<typeof testCommand>;
type TestFlags = TestInvocation["flags"];
type Env = TestInvocation["environment"]["env"];

/** The flags as core takes them. Throws a UsageError where they contradict each other. */
export function toRunOptions({ flags, environment }: TestInvocation, paths: readonly string[]): RunTestsOptions {
  const {
    suite: suites,
    test: tests,
    exclude,
    tag: tags,
    model: models,
    journal,
    plugins,
    confirm,
    untilDecided,
  } = flags;
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
    ...(untilDecided ? { untilDecided } : {}),
    ...(flags.updateSnapshots ? { updateSnapshots: true } : {}),
    ...given({ runs, concurrency, seed, retry, bail, root, cassette, cassetteLatency, shardDurations }),
    ...given({ trialTimeoutMs, gatePassRate, maxCostUsd }),
  };
  checkExtraTrials(flags);
  checkUpload(flags);
  if (flags.updateSnapshots && isCi(environment.env)) {
    const fix = "Update the snapshots on your machine, review them, and commit them";
    throw new UsageError("--update-snapshots cannot be used in CI: a snapshot is a file that people review", fix);
  }
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

function checkExtraTrials({ confirm, untilDecided, baseline, shard }: TestFlags): void {
  const flag = confirm ? "--confirm" : untilDecided ? "--until-decided" : null;
  if (flag === null) return;
  if (confirm && untilDecided) {
    const fix = "Remove --confirm: --until-decided keeps false alarms to the same level by itself";
    throw new UsageError("--confirm cannot be combined with --until-decided", fix);
  }
  if (baseline === "off") {
    throw new UsageError(`${flag} cannot be combined with --baseline off`, "Remove one of the two options");
  }
  if (shard !== undefined) {
    const fix = `Remove ${flag}: shards are compared after the merge`;
    throw new UsageError(`${flag} cannot be combined with --shard`, fix);
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

/**
 * Where the spans of a run go, and what people are to know of it: a variable that was set for another program must send
 * nothing unseen. Throws a UsageError if the flag is wrong; a wrong variable stops no run.
 */
export function exportOf({ flags, environment }: TestInvocation): {
  spans: Pick<Environment, "spans">;
  note: string | null;
} {
  const { otlp } = flags;
  const settings = spanSettingsOf(environment.env, otlp);
  if (!settings.success) {
    if (otlp !== undefined) throw new UsageError(settings.error, "Use an address such as http://127.0.0.1:4318");
    return { spans: {}, note: `Sending no spans: ${settings.error}` };
  }
  const { data } = settings;
  if (data === null) return { spans: {}, note: null };
  const { host } = new URL(data.url);
  const off = otlp === undefined ? ". --otlp off sends none" : "";
  const content = data.hasContent ? "with messages" : "without messages";
  return { spans: { spans: data }, note: `Sending the spans of the run to ${host}, ${content}${off}` };
}

import { cassetteLatencies, retryPresetNames } from "@kindlm/core";
import { defineCommand } from "../command-definition.js";
import { parseCount, parseDurationMs, parseSeed } from "../flag-parsers.js";
import { list, oneOf, parsed, text, toggle } from "../flag.js";
import {
  all,
  cassette,
  concurrency,
  gate,
  journal,
  json,
  maxCost,
  plugins,
  reporter,
  root,
  run,
  selection,
} from "../shared-flags.js";

export const testCommand = defineCommand({
  name: "test",
  summary: "Run the tests",
  examples: [
    ["kindlm test", "runs kindlm.yaml"],
    ["kindlm test -t refund --runs 5", "five trials of every case with refund in its ID"],
    ["kindlm test --reporter json > report.json", "the whole result for other programs"],
    ["kindlm test --reporter junit=out/junit.xml --gate 0.9", "for CI: a file, and 90% have to pass"],
    ["kindlm test --resume", "resumes the last run where it was interrupted"],
    ["kindlm test --cassette replay", "answers from recordings: no network, no key, no cost"],
    ["kindlm test --list", "shows the cases and runs none"],
    ["kindlm test --vacuity", "finds tests that prove nothing: stub agents that do nothing pass them"],
    ["kindlm test --shard 2/4", "the second of four jobs; kindlm merge joins them"],
  ],
  args: { "[paths...]": "Config files or folders (default: kindlm.yaml)" },
  flags: {
    ...selection,
    model: list("<id>", "Include only this model"),
    runs: parsed("<n>", "Set the number of trials per case", parseCount),
    concurrency,
    timeout: parsed("<duration>", "Set the deadline of a trial, such as 90s", parseDurationMs),
    retry: oneOf("<preset>", "Set how provider calls are retried", retryPresetNames),
    bail: parsed("<n>", "Stop after n failed or errored cases", parseCount, {
      bare: "1",
      note: "written --bail=n; --bail alone means 1",
    }),
    gate,
    maxCost,
    shard: text("<i/n>", "Run only part i of n of the cases", {
      note: "auto asks the CI system: GitLab, CircleCI, Buildkite",
    }),
    shardDurations: text("<file>", "Balance the shards by these durations", {
      note: "default: .kindlm/durations.json if it exists",
    }),
    seed: parsed("<n>", "Set the seed of everything random", parseSeed),
    resume: toggle("Resume the last run", { note: "or that of --run" }),
    rerunFailed: toggle("Rerun failed and errored cases of the last run", { note: "or of that of --run" }),
    run,
    journal,
    cassette,
    cassetteLatency: oneOf("<kind>", "Set how long replayed answers take", cassetteLatencies),
    baseline: oneOf("<mode>", "Compare with the baselines of the suites, or not", ["on", "off"]),
    confirm: toggle("Confirm suspect cases by new trials, which decide"),
    plugins,
    root,
    reporter,
    events: text("<file>", "Write every event as a line of JSON; - is stdout"),
    logFormat: oneOf("<format>", "Log structured lines instead of progress", ["json"]),
    list: toggle("List the cases instead of running them"),
    vacuity: toggle("Find tests that stub agents pass, instead of running them"),
    all,
    json: { ...json, note: "with --list or --vacuity" },
  },
});

import { cassetteLatencies, retryPresetNames } from "@kindlm/core";
import { defineCommand } from "../command-definition.js";
import { parseCount, parseDurationMs, parseSeed } from "../flag-parsers.js";
import { oneOf, parsed, text, toggle } from "../flag.js";
import {
  all,
  cassette,
  concurrency,
  gate,
  journal,
  json,
  maxCost,
  model,
  plugins,
  reporter,
  root,
  run,
  selection,
  upload,
} from "../shared-flags.js";

const spendModes = ["auto", "ask", "never"] as const;

export const testCommand = defineCommand({
  name: "test",
  summary: "Run the tests",
  examples: [
    ["kindlm test", "Run all tests in kindlm.yaml"],
    ["kindlm test -t refund --runs 5", 'Run five trials of each case with "refund" in its ID'],
    ["kindlm test --list", "List the cases without running them"],
    ["kindlm test --resume", "Resume the last run after an interruption"],
    ["kindlm test --rerun-failed", "Rerun only the cases that failed or errored"],
    [
      "kindlm test --reporter junit=out/junit.xml --gate 0.9",
      "In CI: write a JUnit file, and require a pass rate of 90%",
    ],
    ["kindlm test --reporter json > report.json", "Write the full result as JSON"],
    ["kindlm test --cassette replay", "Replay recorded responses: no network, no API key, no cost"],
    ["kindlm test --shard 2/4", "Run the second of four shards; join them with kindlm merge"],
    ["kindlm test --watch", "Run again what a changed file affects; q quits"],
    ["kindlm test --vacuity", "Find tests that an agent passes without doing anything"],
  ],
  args: { "[paths...]": "Config files or folders (default: kindlm.yaml)" },
  flags: {
    ...selection,
    model,
    runs: parsed("<n>", "Set the number of trials per case", parseCount, { note: "default: runs in the config, or 1" }),
    concurrency,
    timeout: parsed("<duration>", "Set the time limit of a trial, such as 90s", parseDurationMs, {
      note: "default: timeouts.trial in the config, or 5m",
    }),
    retry: oneOf("<preset>", "Set the retry policy for provider requests", retryPresetNames),
    bail: parsed("<n>", "Stop after n failed or errored cases", parseCount, {
      bare: "1",
      note: "--bail alone means 1; write other numbers as --bail=n",
    }),
    gate,
    maxCost,
    shard: text("<i/n>", "Run only shard i of n", {
      note: "auto asks the CI system; auto/n does where it numbers its jobs only",
    }),
    shardDurations: text("<file>", "Balance the shards by the durations in this file", {
      note: "default: .kindlm/durations.json if it exists",
    }),
    seed: parsed("<n>", "Set the random seed", parseSeed, { note: "default: defaults.seed in the config, or 1" }),
    resume: toggle("Resume the last run, or the one of --run"),
    rerunFailed: toggle("Rerun the failed and errored cases of a run"),
    run,
    journal,
    cassette,
    cassetteLatency: oneOf("<kind>", "Set how long replayed responses take", cassetteLatencies, {
      note: "default: none",
    }),
    baseline: oneOf("<mode>", "Compare with the baselines, or skip the comparison", ["on", "off"], {
      note: "default: on",
    }),
    updateSnapshots: toggle("Write snapshots of lists instead of comparing them"),
    confirm: toggle("Confirm a regression with new trials before reporting it"),
    untilDecided: toggle("Run trials until the comparison with a baseline is decided", {
      note: "up to runs.max in the config, or four times runs",
    }),
    plugins,
    root,
    reporter,
    events: text("<file>", "Write all events to this file as JSON Lines", { note: "- means stdout" }),
    upload,
    otlp: text("<url>", "Send the run as OpenTelemetry spans; off sends none", {
      note: "default: OTEL_EXPORTER_OTLP_ENDPOINT",
    }),
    logFormat: oneOf("<format>", "Log structured lines to stderr instead of progress", ["json"]),
    watch: toggle("Run again what a changed file affects, until you quit"),
    spend: oneOf("<when>", "Set when watch mode may call paid models", spendModes, {
      note: "default: ask",
    }),
    clear: toggle("Clear the screen before each round of watch mode"),
    list: toggle("List the cases instead of running them"),
    vacuity: toggle("Run stub agents to find tests that prove nothing"),
    all,
    json: { ...json, note: "with --list or --vacuity" },
  },
  groups: {
    "Select cases": ["suite", "test", "exclude", "tag", "model"],
    "Run trials": ["runs", "concurrency", "timeout", "retry", "seed", "cassette", "cassetteLatency", "plugins"],
    "Stop or fail the run": ["bail", "maxCost", "gate", "baseline", "confirm", "untilDecided", "updateSnapshots"],
    "Resume, rerun, and shard": ["resume", "rerunFailed", "run", "shard", "shardDurations", "journal", "root"],
    "Report results": ["reporter", "events", "logFormat", "upload", "otlp", "all"],
    "Watch files": ["watch", "spend", "clear"],
    "Other modes": ["list", "vacuity", "json"],
  },
});

const {
  watch: _watch,
  resume: _resume,
  rerunFailed: _rerunFailed,
  run: _run,
  shard: _shard,
  shardDurations: _shardDurations,
  journal: _journal,
  confirm: _confirm,
  untilDecided: _untilDecided,
  updateSnapshots: _updateSnapshots,
  upload: _upload,
  otlp: _otlp,
  logFormat: _logFormat,
  list: _list,
  vacuity: _vacuity,
  json: _json,
  ...watchFlags
} = testCommand.flags;

export const watchCommand = defineCommand({
  name: "watch",
  summary: "Run tests again when files change",
  examples: [
    ["kindlm watch", "Watch the tests in kindlm.yaml; nothing paid runs before you press Enter"],
    ["kindlm watch -t refund --max-cost 0.50", "Watch some cases, and spend at most 50 cents"],
    ["kindlm watch --spend auto", "Run what a change affects without a question, up to $1"],
  ],
  args: testCommand.args ?? {},
  flags: {
    ...watchFlags,
    cassette: { ...cassette, note: "default: cassette in the config, or auto" },
  },
  groups: {
    "Select cases": ["suite", "test", "exclude", "tag", "model"],
    "Run trials": ["runs", "concurrency", "timeout", "retry", "seed", "cassette", "cassetteLatency", "plugins", "root"],
    "Stop or fail a round": ["bail", "maxCost", "gate", "baseline"],
    "Report results": ["reporter", "events", "all"],
    "Watch files": ["spend", "clear"],
  },
});

/** What a test run can be given and a session of watch mode cannot, as it is when nobody writes it. */
export const withoutWatch = {
  resume: false,
  rerunFailed: false,
  run: undefined,
  shard: undefined,
  shardDurations: undefined,
  journal: true,
  confirm: false,
  untilDecided: false,
  updateSnapshots: false,
  upload: false,
  otlp: undefined,
  logFormat: undefined,
  list: false,
  vacuity: false,
  json: false,
} as const;

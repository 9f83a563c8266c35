import type { RetryPreset } from "@kindlm/core";
import { Option, type Command } from "commander";
import { allOption } from "../all-option.js";
import type { CommandDefinition } from "../command-definition.js";
import { parseCount, parseDurationMs, parseRate, parseSeed, parseUsd } from "../option-parsers.js";

/** What commander makes of the flags below. */
export interface TestFlags {
  suite: readonly string[];
  test: readonly string[];
  exclude: readonly string[];
  tag: readonly string[];
  model: readonly string[];
  runs?: number;
  concurrency?: number;
  timeout?: number;
  retry?: RetryPreset;
  bail?: number;
  gate?: number;
  maxCost?: number;
  shard?: string;
  shardDurations?: string;
  seed?: number;
  root?: string;
  resume: boolean;
  run?: string;
  rerunFailed: boolean;
  journal: boolean;
  /** As they were written; the command checks them. */
  baseline?: string;
  confirm: boolean;
  cassette?: string;
  cassetteLatency?: string;
  plugins: boolean;
  reporter: readonly string[];
  events?: string;
  logFormat?: "json";
  list: boolean;
  vacuity: boolean;
  all: boolean;
  json: boolean;
}

export const testCommand: CommandDefinition = {
  name: "test",
  summary: "Run the tests and say which passed, failed, errored or were skipped",
  examples: [
    ["kindlm test", "runs kindlm.yaml"],
    ["kindlm test -t refund --runs 5", "five runs of every case with refund in its id"],
    ["kindlm test --reporter json > report.json", "the whole result for other programs"],
    ["kindlm test --reporter junit=out/junit.xml --gate 0.9", "for CI: a file, and 90% have to pass"],
    ["kindlm test --resume", "goes on with the last run where it was cut off"],
    ["kindlm test --cassette replay", "answers from recordings: no network, no key, no cost"],
    ["kindlm test --list", "shows the cases and runs none"],
    ["kindlm test --vacuity", "finds tests that prove nothing: stand-ins that do nothing pass them"],
    ["kindlm test --shard 2/4", "the second of four jobs; kindlm merge joins them"],
  ],
  configure,
  load: async () => (await import("./run-test-command.js")).runTestCommand,
};

function configure(command: Command): void {
  const many = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  command
    .argument("[paths...]", "config files or folders; default: kindlm.yaml")
    .option("--suite <name>", "only this suite; may be repeated", many, [])
    .option("-t, --test <pattern>", "only cases whose id contains it, or matches /it/; may be repeated", many, [])
    .option("--exclude <pattern>", "leave such cases out; may be repeated", many, [])
    .option("--tag <tag>", "only tests with this tag; may be repeated", many, [])
    .option("--model <id>", "only this model; may be repeated", many, [])
    .option("--runs <n>", "trials per case", parseCount)
    .option("--concurrency <n>", "trials at a time", parseCount)
    .option("--timeout <duration>", "deadline of a trial, such as 90s", parseDurationMs)
    .addOption(
      new Option("--retry <preset>", "how provider calls are retried").choices([
        "default",
        "conservative",
        "aggressive",
        "production",
        "disabled",
      ]),
    )
    .option("--bail <n>", "stop after n failed or errored cases, written --bail=n; --bail alone means 1", parseCount)
    .option("--gate <rate>", "pass rate from 0 to 1 that is enough", parseRate)
    .option("--max-cost <usd>", "stop before the run costs more", parseUsd)
    .option(
      "--shard <i/n>",
      "only the i-th of n parts of the cases; auto asks the CI system: GitLab, CircleCI, Buildkite",
    )
    .option("--shard-durations <file>", "balances the shards; default: .kindlm/durations.json where it is")
    .option("--seed <n>", "seed of everything random", parseSeed)
    .option("--resume", "go on with the last run, or that of --run: finished trials are not run again", false)
    .option("--rerun-failed", "run only the cases that failed or errored in the last run, or that of --run", false)
    .option("--run <id>", "which run; the beginning of its id is enough")
    .option("--no-journal", "keep nothing under .kindlm: the run cannot be resumed")
    .addOption(
      choosing("--cassette <mode>", "record what models and tools answer, replay it, or both", [
        "auto",
        "record",
        "replay",
        "off",
      ]),
    )
    .addOption(
      choosing("--cassette-latency <kind>", "how long replayed answers take: nothing, or as long as then", [
        "none",
        "recorded",
      ]),
    )
    .addOption(choosing("--baseline <mode>", "compare with the baselines of the suites, or do not", ["on", "off"]))
    .option("--confirm", "try what seems worse than its baseline again, and decide on the fresh trials alone", false)
    .option("--no-plugins", "run without the plugins of the config")
    .option("--root <folder>", "where .kindlm stands")
    .option(
      "--reporter <name[=file]>",
      "pretty, json, junit, markdown, github, csv or tap, to stdout or to a file; may be repeated",
      many,
      [],
    )
    .option("--events <file>", "write every event as a line of JSON; - for stdout")
    .addOption(new Option("--log-format <format>", "structured lines on stderr instead of progress").choices(["json"]))
    .option("--list", "list the cases instead of running them", false)
    .option("--vacuity", "tell which tests an agent passes that does nothing, instead of running them", false)
    .addOption(allOption())
    .option("--json", "with --list or --vacuity: as JSON", false);
}

/** Shows its choices in the help and leaves it to the command to check them, which can tell what was meant. */
function choosing(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser((text: string) => text);
}

import type { Command } from "commander";
import { allOption } from "../commands/all-option.js";
import { parseCount, parseRate, parseUsd } from "../commands/option-parsers.js";

/** What commander makes of the flags below. */
export interface ScoringFlags {
  suite: readonly string[];
  test: readonly string[];
  exclude: readonly string[];
  tag: readonly string[];
  concurrency?: number;
  gate?: number;
  maxCost?: number;
  root?: string;
  journal: boolean;
  plugins: boolean;
  reporter: readonly string[];
  run?: string;
}

/** What scoring takes wherever the conversations come from. */
export function addScoringOptions(command: Command): void {
  const many = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  command
    .option("--suite <name>", "only this suite; may be repeated", many, [])
    .option("-t, --test <pattern>", "only cases whose id contains it, or matches /it/; may be repeated", many, [])
    .option("--exclude <pattern>", "leave such cases out; may be repeated", many, [])
    .option("--tag <tag>", "only tests with this tag; may be repeated", many, [])
    .option("--concurrency <n>", "trials at a time", parseCount)
    .option("--gate <rate>", "pass rate from 0 to 1 that is enough", parseRate)
    .option("--max-cost <usd>", "stop before the judges cost more", parseUsd)
    .option("--no-journal", "keep nothing under .kindlm: the result cannot be reported again")
    .option("--no-plugins", "run without the plugins of the config")
    .option("--root <folder>", "where .kindlm stands")
    .addOption(allOption())
    .option("--reporter <name[=file]>", "pretty, json or junit, to stdout or to a file; may be repeated", many, []);
}

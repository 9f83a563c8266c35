import type { Command } from "commander";
import type { CommandDefinition } from "../command-definition.js";
import { parseCount, parseRate, parseUsd } from "../option-parsers.js";

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

export const scoreCommand: CommandDefinition = {
  name: "score",
  summary: "Evaluate the assertions on conversations that were recorded elsewhere, without asking the model under test",
  examples: [
    ["kindlm score transcripts.jsonl", "each line is a conversation, and says of which test"],
    [
      "kindlm score a.jsonl b.jsonl -c evals/kindlm.yaml --reporter junit=junit.xml",
      "several files, with a report for CI",
    ],
    ["export-logs | kindlm score -", "from another program"],
    ["kindlm score .kindlm/runs/20260215-103000000-a1b2c3", "the conversations of a run, whatever has changed since"],
  ],
  configure: (command) => {
    command.argument("<transcripts...>", "files of JSON Lines, journals or run folders; - reads stdin");
    addScoringOptions(command);
  },
  load: async () => (await import("./run-score-command.js")).runScoreCommand,
};

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
    .option("--no-journal", "keep nothing under .kindlm: the result can not be reported again")
    .option("--no-plugins", "run without the plug-ins of the config")
    .option("--root <folder>", "where .kindlm stands")
    .option("--reporter <name[=file]>", "pretty, json or junit, to stdout or to a file; may be repeated", many, []);
}

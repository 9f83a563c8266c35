import { allOption } from "../all-option.js";
import type { CommandDefinition } from "../command-definition.js";
import { parseCount, parseKappa, parseRate, parseUsd } from "../option-parsers.js";

/** What commander makes of the flags below. */
export interface JudgeFlags {
  test?: string;
  assertion?: string;
  model?: string;
  criteria?: string;
  threshold?: number;
  samples?: number;
  minAgreement?: number;
  minKappa?: number;
  /** As it was written; the command checks it. */
  cassette?: string;
  concurrency?: number;
  maxCost?: number;
  root?: string;
  json: boolean;
}

export const judgeCommand: CommandDefinition = {
  name: "judge",
  summary: "Calibrate a judge: how well it agrees with labels that people gave",
  examples: [
    ["kindlm judge calibrate labels.jsonl --test support/tone", "the judge assertion of a test"],
    ['kindlm judge calibrate labels.jsonl --model claude --criteria "Is polite"', "a judge by itself"],
    ["kindlm judge calibrate labels.jsonl -t support/tone --min-kappa 0.6", "for CI: less agreement is exit code 1"],
    ["kindlm judge calibrate labels.jsonl -t support/tone --cassette auto", "asks for what is new alone"],
  ],
  configure: (command) =>
    void command
      .argument("<action>", "calibrate")
      .argument(
        "<labels...>",
        'files of JSON Lines: a conversation with "label" (pass or fail) or "score"; - reads stdin',
      )
      .option("-t, --test <suite/test>", "the test whose judge assertion is calibrated")
      .option("--assertion <id>", "which of its judge assertions, by id")
      .option("--model <model>", "the judge: an id of models, or provider:model")
      .option("--criteria <text>", "what a good answer does")
      .option("--threshold <score>", "the score from which on a label counts as pass", parseRate)
      .option("--samples <n>", "how often the judge is asked about each label", parseCount)
      .option("--min-agreement <rate>", "share of labels from 0 to 1 that is enough", parseRate)
      .option("--min-kappa <value>", "Cohen's kappa from -1 to 1 that is enough", parseKappa)
      .option("--cassette <mode>", "record what the judge says, replay it, or both: auto, record, replay or off")
      .option("--concurrency <n>", "labels at a time", parseCount)
      .option("--max-cost <usd>", "stop before the judge costs more", parseUsd)
      .option("--root <folder>", "where .kindlm stands")
      .addOption(allOption())
      .option("--json", "print the result as JSON", false),
  load: async () => (await import("./run-judge-command.js")).runJudgeCommand,
};

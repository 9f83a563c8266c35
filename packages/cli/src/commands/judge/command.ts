import { defineCommand } from "../command-definition.js";
import { parseCount, parseKappa, parseRate } from "../flag-parsers.js";
import { parsed, text } from "../flag.js";
import { all, cassette, concurrency, json, maxCost, root } from "../shared-flags.js";

export const judgeGroup = { name: "judge", summary: "Measure how well a judge agrees with people" };

export const calibrateCommand = defineCommand({
  name: "calibrate",
  summary: "Compare the scores of a judge with labels by people",
  examples: [
    ["kindlm judge calibrate labels.jsonl --test support/tone", "the judge assertion of a test"],
    ['kindlm judge calibrate labels.jsonl --model claude --criteria "Is polite"', "a judge by itself"],
    ["kindlm judge calibrate labels.jsonl -t support/tone --min-kappa 0.6", "for CI: less agreement is exit code 1"],
    ["kindlm judge calibrate labels.jsonl -t support/tone --cassette auto", "calls the judge for new labels alone"],
  ],
  args: {
    "<labels...>": 'Files of JSON Lines: a conversation with "label" (pass or fail) or "score"; - reads stdin',
  },
  flags: {
    test: text("<suite/test>", "Calibrate the judge assertion of this test", { short: "t" }),
    assertion: text("<id>", "Choose one of its judge assertions by ID"),
    model: text("<model>", "Judge with this model: an ID, or provider:model"),
    criteria: text("<text>", "Say what a good answer does"),
    threshold: parsed("<score>", "Count labels from this score on as passed", parseRate),
    samples: parsed("<n>", "Set how often the judge scores each label", parseCount),
    minAgreement: parsed("<rate>", "Require this share of equal labels, from 0 to 1", parseRate),
    minKappa: parsed("<value>", "Require this Cohen's kappa, from -1 to 1", parseKappa),
    cassette,
    concurrency: { ...concurrency, help: "Score at most n labels at the same time" },
    maxCost,
    root,
    all,
    json,
  },
});

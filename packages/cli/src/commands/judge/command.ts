import { defineCommand } from "../command-definition.js";
import { parseCount, parseKappa, parseRate } from "../flag-parsers.js";
import { parsed, text } from "../flag.js";
import { all, cassette, concurrency, json, maxCost, root } from "../shared-flags.js";

export const judgeGroup = { name: "judge", summary: "Measure how well a judge agrees with people" };

export const calibrateCommand = defineCommand({
  name: "calibrate",
  summary: "Compare the scores of a judge with human labels",
  examples: [
    ["kindlm judge calibrate labels.jsonl --test support/tone", "Calibrate the judge assertion of a test"],
    [
      'kindlm judge calibrate labels.jsonl --model claude --criteria "Is polite"',
      "Calibrate a judge that is not in a config",
    ],
    [
      "kindlm judge calibrate labels.jsonl -t support/tone --min-kappa 0.6",
      "In CI: exit code 1 means too little agreement",
    ],
    ["kindlm judge calibrate labels.jsonl -t support/tone --cassette auto", "Call the judge for new labels only"],
  ],
  args: {
    "<labels...>": 'Files of JSON Lines: a conversation with "label" (pass or fail) or "score"; - reads stdin',
  },
  flags: {
    test: text("<suite/test>", "Calibrate the judge assertion of this test", { short: "t" }),
    assertion: text("<id>", "Calibrate the judge assertion with this ID"),
    model: text("<model>", "Use this judge: a model ID, or provider:model"),
    criteria: text("<text>", "Use these criteria for a good answer"),
    threshold: parsed("<score>", "Set the lowest score that passes, from 0 to 1", parseRate, { note: "default: 0.7" }),
    samples: parsed("<n>", "Set the number of scores per label", parseCount, { note: "default: 1" }),
    minAgreement: parsed("<rate>", "Fail below this share of equal labels, from 0 to 1", parseRate),
    minKappa: parsed("<value>", "Fail below this Cohen's kappa, from -1 to 1", parseKappa),
    cassette,
    concurrency: { ...concurrency, help: "Score at most n labels at a time" },
    maxCost,
    root,
    all,
    json,
  },
});

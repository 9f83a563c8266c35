import { defineCommand } from "../command-definition.js";
import { parseCount } from "../flag-parsers.js";
import { parsed, toggle } from "../flag.js";
import { json, root, run } from "../shared-flags.js";

export const showCommand = defineCommand({
  name: "show",
  summary: "Show the conversations of a case of a finished run",
  examples: [
    ["kindlm show", "List the cases of the last run that did not pass"],
    ["kindlm show 2", "Show the second of them"],
    ["kindlm show full-refund --trial 3", "Show one trial of the case whose ID contains this text"],
    ["kindlm show refunds/full-refund@gpt --json", "Print every trial with its messages as JSON"],
  ],
  args: { "[case]": "Number in the list, ID, or part of an ID (default: the list of cases that did not pass)" },
  flags: {
    run,
    trial: parsed("<n>", "Show only this trial", parseCount),
    all: toggle("Show every trial, also those that ended alike"),
    root,
    json,
  },
});

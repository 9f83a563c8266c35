import { defineCommand } from "../command-definition.js";
import { parseCount } from "../flag-parsers.js";
import { parsed, toggle } from "../flag.js";
import { json, root, run } from "../shared-flags.js";

export const showCommand = defineCommand({
  name: "show",
  summary: "Show the conversations of a case of a finished run",
  examples: [
    ["kindlm show", "List the kinds of failures and the causes of errors of the last run"],
    ["kindlm show 2", "Show the second kind of failure"],
    ["kindlm show full-refund --trial 3", "Show one trial of the case whose ID contains this text"],
    ["kindlm show refunds/full-refund@gpt --json", "Print every trial with its messages as JSON"],
  ],
  args: { "[case]": "Number of a kind of failure, ID, or part of an ID (default: the list of kinds)" },
  flags: {
    run,
    trial: parsed("<n>", "Show only this trial", parseCount),
    all: toggle("Show every case, and trials that ended alike, too"),
    root,
    json,
  },
});

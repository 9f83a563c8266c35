import { defineCommand } from "../command-definition.js";
import { run, scoring } from "../shared-flags.js";

export const rescoreCommand = defineCommand({
  name: "rescore",
  summary: "Evaluate a finished run with the current assertions",
  examples: [
    ["kindlm rescore", "Evaluate the last run again"],
    ["kindlm rescore 20260215-1030 -t refund", "Evaluate some cases of another run"],
    ["kindlm rescore last --reporter json > report.json", "Export the new result as JSON"],
  ],
  args: { "[run]": "Run ID, unique prefix, or run folder (default: the last run)" },
  flags: { run, ...scoring },
});

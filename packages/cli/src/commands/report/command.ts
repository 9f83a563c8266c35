import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";
import { model, reporter, root, selection } from "../shared-flags.js";

export const reportCommand = defineCommand({
  name: "report",
  summary: "Show or export the report of a finished run",
  examples: [
    ["kindlm report", "Show the last run"],
    ["kindlm report 20260215-1030 --reporter json > report.json", "Export another run as JSON"],
    ["kindlm report last --reporter junit=out/junit.xml", "Write the JUnit file of the last run"],
    ["kindlm report --failed --suite refunds", "Show what did not pass in one suite"],
    ["kindlm report -t full-refund", "Show one case with its conversations"],
  ],
  args: { "[run]": "Run ID, unique prefix, or run folder (default: the last run)" },
  flags: {
    ...selection,
    model,
    failed: toggle("Include only cases that did not pass"),
    reporter,
    root,
  },
  groups: { "Select cases": ["suite", "test", "exclude", "tag", "model", "failed"], Output: ["reporter", "root"] },
});

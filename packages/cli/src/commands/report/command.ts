import { defineCommand } from "../command-definition.js";
import { reporter, root } from "../shared-flags.js";

export const reportCommand = defineCommand({
  name: "report",
  summary: "Show or export the report of a finished run",
  examples: [
    ["kindlm report", "Show the last run"],
    ["kindlm report 20260215-1030 --reporter json > report.json", "Export another run as JSON"],
    ["kindlm report last --reporter junit=out/junit.xml", "Write the JUnit file of the last run"],
  ],
  args: { "[run]": "Run ID, unique prefix, or run folder (default: the last run)" },
  flags: { reporter, root },
});

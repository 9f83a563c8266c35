import { defineCommand } from "../command-definition.js";
import { reporter, root } from "../shared-flags.js";

export const reportCommand = defineCommand({
  name: "report",
  summary: "Report a finished run again",
  examples: [
    ["kindlm report", "shows the last run"],
    ["kindlm report 20260215-1030 --reporter json > report.json", "another run, for other programs"],
    ["kindlm report last --reporter junit=out/junit.xml", "a file for CI"],
  ],
  args: { "[run]": "ID of the run, a unique prefix, or its folder (default: the last run)" },
  flags: { reporter, root },
});

import { defineCommand } from "../command-definition.js";
import { list, toggle } from "../flag.js";
import { root } from "../shared-flags.js";

export const openCommand = defineCommand({
  name: "open",
  summary: "Open the HTML report of a finished run in a browser",
  examples: [
    ["kindlm open", "Open the report of the last run"],
    ["kindlm open 20260215-1030 --compare baseline", "Compare another run with the current baselines"],
    ["kindlm open last --compare 20260215-1030", "Compare the last run with an earlier one"],
    ["kindlm open --print", "Write the report and print its path"],
  ],
  args: { "[run]": "Run ID, unique prefix, or run folder (default: the last run)" },
  flags: {
    compare: list("<run|baseline>", "Compare with an earlier run, or with the current baselines", {
      note: "default: the baselines that the run was compared with",
    }),
    print: toggle("Print the path of the report, and open no browser"),
    root,
  },
});

import { defineCommand } from "../command-definition.js";
import { all, json } from "../shared-flags.js";

export const validateCommand = defineCommand({
  name: "validate",
  summary: "Check the config without calling a model",
  examples: [
    ["kindlm validate", "Check kindlm.yaml, and show what a run would do"],
    ["kindlm validate --verbose", "Also show the JSON Schema that short parameters of tools mean"],
    ["kindlm validate evals/ --json", "Check the configs of a folder, and print JSON"],
  ],
  args: { "[paths...]": "Config files or folders (default: kindlm.yaml)" },
  flags: { all, json },
});

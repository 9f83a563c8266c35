import { defineCommand } from "../command-definition.js";
import { all, json } from "../shared-flags.js";

export const validateCommand = defineCommand({
  name: "validate",
  summary: "Check the config without calling a model",
  examples: [
    ["kindlm validate", "checks kindlm.yaml and shows what a run would do"],
    ["kindlm validate evals/ --json", "checks a folder, for other programs"],
  ],
  args: { "[paths...]": "Config files or folders (default: kindlm.yaml)" },
  flags: { all, json },
});

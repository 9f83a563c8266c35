import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";
import { json } from "../shared-flags.js";

export const doctorCommand = defineCommand({
  name: "doctor",
  summary: "Check keys, servers, models, and prices before a run",
  examples: [
    ["kindlm doctor", "Check what kindlm.yaml needs, without calling a model"],
    ["kindlm doctor --offline", "Check config, keys, packages, and prices only"],
    ["kindlm doctor --chaos", "Simulate provider failures and see how a run would end"],
    ["kindlm doctor evals/ --json", "Check the configs of a folder, and print JSON"],
  ],
  args: { "[paths...]": "Config files or folders (default: kindlm.yaml)" },
  flags: {
    offline: toggle("Do not contact any server"),
    chaos: toggle("Simulate failures of providers, offline"),
    json,
  },
});

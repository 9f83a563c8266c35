import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";
import { json } from "../shared-flags.js";

export const doctorCommand = defineCommand({
  name: "doctor",
  summary: "Check keys, servers, models, and prices before a run",
  examples: [
    ["kindlm doctor", "checks what kindlm.yaml needs, without calling a model"],
    ["kindlm doctor --offline", "sends nothing: config, keys, packages, and prices alone"],
    ["kindlm doctor --chaos", "rehearses the config against providers that misbehave"],
    ["kindlm doctor evals/ --json", "checks a folder, for other programs"],
  ],
  args: { "[paths...]": "Config files or folders (default: kindlm.yaml)" },
  flags: {
    offline: toggle("Contact no server"),
    chaos: toggle("Rehearse retries, circuit breaker, fallbacks, and gates", { note: "sends nothing" }),
    json,
  },
});

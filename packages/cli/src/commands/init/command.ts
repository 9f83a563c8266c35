import { defineCommand } from "../command-definition.js";
import { oneOf, text, toggle } from "../flag.js";

export const initCommand = defineCommand({
  name: "init",
  needsNoConfig: true,
  summary: "Create a config with sample tests that run offline",
  examples: [
    ["kindlm init", "Answer a few questions, then create kindlm.yaml"],
    ["kindlm init --yes --dir evals", "Create evals/kindlm.yaml without prompts"],
  ],
  flags: {
    template: { ...oneOf("<name>", "Start from this template", ["agent"]), absent: "agent" as const },
    dir: text("<folder>", "Create the files in this folder", { note: "default: the current folder" }),
    yes: toggle("Do not prompt", { short: "y" }),
  },
});

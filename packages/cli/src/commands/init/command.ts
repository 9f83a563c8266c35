import { defineCommand } from "../command-definition.js";
import { oneOf, text, toggle } from "../flag.js";

export const initCommand = defineCommand({
  name: "init",
  summary: "Write a first config that passes without key or network",
  examples: [
    ["kindlm init", "asks what it needs to know"],
    ["kindlm init --yes --dir evals", "asks nothing and writes into evals/"],
  ],
  flags: {
    template: { ...oneOf("<name>", "Start from this template", ["agent"]), absent: "agent" as const },
    dir: text("<folder>", "Write into this folder", { note: "default: the working folder" }),
    yes: toggle("Do not prompt", { short: "y" }),
  },
});

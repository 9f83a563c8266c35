import { defineCommand } from "../command-definition.js";
import { oneOf, text, toggle } from "../flag.js";
import { exampleNames } from "./examples.js";
import { templateNames } from "./templates.js";

export const initCommand = defineCommand({
  name: "init",
  needsNoConfig: true,
  summary: "Create a config with sample tests that run offline",
  examples: [
    ["kindlm init", "Answer a few questions, then create kindlm.yaml"],
    ["kindlm init --template list", "List the templates"],
    ["kindlm init --template http", "Start with tests of an HTTP service"],
    ["kindlm init --example quick-start", "Copy an example project into quick-start"],
    ["kindlm init --yes --dir evals", "Create evals/kindlm.yaml without prompts"],
  ],
  flags: {
    template: oneOf("<name>", "Start from this template", [...templateNames, "list"], {
      note: "default: agent; list describes them",
    }),
    example: oneOf("<name>", "Copy this example project", [...exampleNames, "list"], {
      note: "into a folder of its name; list describes them",
    }),
    dir: text("<folder>", "Create the files in this folder", { note: "default: the current folder" }),
    ci: toggle("Add a GitHub workflow that runs the tests"),
    yes: toggle("Do not prompt", { short: "y" }),
  },
});

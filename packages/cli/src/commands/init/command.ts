import { Option } from "commander";
import type { CommandDefinition } from "../command-definition.js";

const templateNames = ["agent"] as const;

export const initCommand: CommandDefinition = {
  name: "init",
  summary: "Write a first config that passes at once, without a key or a network",
  examples: [
    ["kindlm init", "asks what it needs to know"],
    ["kindlm init --yes --dir evals", "asks nothing and writes into evals/"],
  ],
  configure: (command) =>
    void command
      .addOption(new Option("--template <name>", "what to start from").choices(templateNames).default("agent"))
      .option("--dir <folder>", "where to write; default: here")
      .option("-y, --yes", "ask nothing", false),
  load: async () => (await import("./run-init-command.js")).runInitCommand,
};

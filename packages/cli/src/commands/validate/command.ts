import { allOption } from "../all-option.js";
import type { CommandDefinition } from "../command-definition.js";

export const validateCommand: CommandDefinition = {
  name: "validate",
  summary: "Check the config and say what a run would do, without calling any model",
  examples: [
    ["kindlm validate", "checks kindlm.yaml"],
    ["kindlm validate evals/ --json", "checks a folder, for other programs"],
  ],
  configure: (command) =>
    void command
      .argument("[paths...]", "config files or folders; default: kindlm.yaml")
      .addOption(allOption())
      .option("--json", "print the report as JSON", false),
  load: async () => (await import("./run-validate-command.js")).runValidateCommand,
};

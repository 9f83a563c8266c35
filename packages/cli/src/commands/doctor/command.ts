import type { CommandDefinition } from "../command-definition.js";

export const doctorCommand: CommandDefinition = {
  name: "doctor",
  summary: "Check keys, servers, models and prices before a run, without asking any model",
  examples: [
    ["kindlm doctor", "checks what kindlm.yaml needs"],
    ["kindlm doctor --offline", "sends nothing: config, keys, packages and prices alone"],
    ["kindlm doctor evals/ --json", "checks a folder, for other programs"],
  ],
  configure: (command) =>
    void command
      .argument("[paths...]", "config files or folders; default: kindlm.yaml")
      .option("--offline", "ask no server", false)
      .option("--json", "print the report as JSON", false),
  load: async () => (await import("./run-doctor-command.js")).runDoctorCommand,
};

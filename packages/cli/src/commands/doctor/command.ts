import type { CommandDefinition } from "../command-definition.js";

export const doctorCommand: CommandDefinition = {
  name: "doctor",
  summary: "Check keys, servers, models and prices before a run, without asking any model",
  examples: [
    ["kindlm doctor", "checks what kindlm.yaml needs"],
    ["kindlm doctor --offline", "sends nothing: config, keys, packages and prices alone"],
    ["kindlm doctor --chaos", "rehearses the config against providers that misbehave"],
    ["kindlm doctor evals/ --json", "checks a folder, for other programs"],
  ],
  configure: (command) =>
    void command
      .argument("[paths...]", "config files or folders; default: kindlm.yaml")
      .option("--offline", "ask no server", false)
      .option("--chaos", "rehearse retry, circuit breaker, fallbacks and gates; sends nothing", false)
      .option("--json", "print the report as JSON", false),
  load: async () => {
    const { runDoctorCommand } = await import("./run-doctor-command.js");
    const { runChaosCommand } = await import("./run-chaos-command.js");
    return (invocation) =>
      invocation.options["chaos"] === true ? runChaosCommand(invocation) : runDoctorCommand(invocation);
  },
};

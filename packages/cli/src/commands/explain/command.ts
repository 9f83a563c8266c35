import type { CommandDefinition } from "../command-definition.js";

export const explainCommand: CommandDefinition = {
  name: "explain",
  summary: "Explain an error code",
  examples: [
    ["kindlm explain PROVIDER_RATE_LIMIT", "by its name"],
    ["kindlm explain 202", "by its number"],
    ["kindlm explain", "lists all codes"],
  ],
  configure: (command) =>
    void command.argument("[code]", "name or number of the error").option("--json", "print it as JSON", false),
  load: async () => (await import("./run-explain-command.js")).runExplainCommand,
};

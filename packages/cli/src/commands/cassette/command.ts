import type { CommandDefinition } from "../command-definition.js";

export const cassetteCommand: CommandDefinition = {
  name: "cassette",
  summary: "List the recordings of --cassette, check them, or take out what no test needs any more",
  examples: [
    ["kindlm cassette list", "the files with their cases and models"],
    ["kindlm cassette verify", "for CI: all files are sound and hold no key"],
    ["kindlm cassette prune --dry-run", "what no case of the config asks for"],
  ],
  configure: (command) =>
    void command
      .argument("[action]", "list, verify or prune; default: list")
      .argument("[paths...]", "config files or folders; default: kindlm.yaml")
      .option("--dry-run", "with prune: only tell what would go", false)
      .option("--root <folder>", "where .kindlm stands")
      .option("--json", "print the result as JSON", false),
  load: async () => (await import("./run-cassette-command.js")).runCassetteCommand,
};

import type { CommandDefinition } from "../command-definition.js";

export const schemaCommand: CommandDefinition = {
  name: "schema",
  summary: "Print the JSON Schema of kindlm.yaml",
  examples: [
    ["kindlm schema > kindlm.schema.json", "for editors"],
    ["kindlm schema --result", "the schema of --reporter json"],
  ],
  configure: (command) => void command.option("--result", "the schema of the JSON report instead", false),
  load: async () => (await import("./run-schema-command.js")).runSchemaCommand,
};

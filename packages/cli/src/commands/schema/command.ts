import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";

export const schemaCommand = defineCommand({
  name: "schema",
  summary: "Print the JSON Schema of kindlm.yaml",
  examples: [
    ["kindlm schema > kindlm.schema.json", "for editors"],
    ["kindlm schema --result", "the schema of --reporter json"],
  ],
  flags: { result: toggle("Print the schema of the JSON report instead") },
});

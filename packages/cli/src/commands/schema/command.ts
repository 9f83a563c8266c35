import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";

export const schemaCommand = defineCommand({
  name: "schema",
  needsNoConfig: true,
  summary: "Print the JSON Schema of kindlm.yaml",
  examples: [
    ["kindlm schema > kindlm.schema.json", "Save the schema for your editor"],
    ["kindlm schema --result", "Print the schema of the JSON report"],
  ],
  flags: { result: toggle("Print the schema of the JSON report instead") },
});

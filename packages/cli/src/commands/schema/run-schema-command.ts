import { configJsonSchema, runResultJsonSchema } from "@kindlm/core";
import type { Invocation } from "../command-definition.js";

export async function runSchemaCommand({ options, environment }: Invocation): Promise<number> {
  const schema = options["result"] === true ? runResultJsonSchema() : configJsonSchema();
  await environment.stdout.write(`${JSON.stringify(schema, null, 2)}\n`, "json");
  return 0;
}

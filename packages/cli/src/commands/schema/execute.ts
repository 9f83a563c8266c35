import { configJsonSchema, runResultJsonSchema } from "@kindlm/core";
import { toJson } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { schemaCommand } from "./command.js";

export async function execute({ flags, environment }: InvocationOf<typeof schemaCommand>): Promise<number> {
  await environment.stdout.write(toJson(flags.result ? runResultJsonSchema() : configJsonSchema()), "json");
  return 0;
}

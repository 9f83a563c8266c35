import * as z from "../../values/deferred-zod.js";
import { addedEnvSchema, commandLineSchema } from "../program-schema.js";

/** Keys of a tool that is a program, in addition to those of every tool. */
export const commandToolKeys = {
  command: commandLineSchema
    .optional()
    .describe("Program and arguments, without a shell; it gets the arguments as JSON on stdin and prints its result")
    .meta({ examples: [["node", "tools/lookup.js"]] }),
  cwd: z.string().min(1).optional().describe("Folder in which the program runs; default is that of the config file"),
  env: addedEnvSchema.optional(),
};

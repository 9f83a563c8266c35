import * as z from "../values/deferred-zod.js";

/** A program and its arguments, without a shell. */
export const commandLineSchema = z.tuple([z.string().min(1)], z.string());

/** `env:` of a program; the values may read the environment as ${NAME}. */
export const addedEnvSchema = z
  .record(z.string(), z.string())
  .describe("Environment variables added for the program; ${NAME} reads one that is set")
  .meta({ examples: [{ API_URL: "http://127.0.0.1:8080" }] });

import * as z from "../values/deferred-zod.js";

/** Keys that the block of every HTTP provider takes. Secrets are named by their environment variable. */
export const httpProviderSettings = {
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Address of the API, without a slash at the end"),
  api_key_env: z.string().min(1).optional().describe("Environment variable that holds the API key"),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Further request headers; they win over the adapter's own"),
};

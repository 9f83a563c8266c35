import { strictObject } from "../../schema-parts/strict-object.js";
import * as z from "../../values/deferred-zod.js";
import { parseServerAddress } from "../../values/server-address.js";

const serverSchema = z.string().check((context) => {
  const parsed = parseServerAddress(context.value);
  if (parsed.success) return;
  const { message, hint } = parsed.error;
  context.issues.push({ code: "custom", message: `${message}\n${hint}`, input: context.value });
});

/** `upload`: where runs are sent, and what of them. Sent is nothing without `--upload` or `kindlm upload`. */
export const uploadSchema = strictObject({
  server: serverSchema.optional().describe("Its address"),
  project: z.string().min(1).optional().describe("Default: project"),
  include: z
    .array(z.enum(["messages", "transcripts"]))
    .optional()
    .describe("Sent in addition to measurements"),
})
  .describe("The results server for uploads")
  .meta({ examples: [{ server: "https://kindlm.example.com" }] });

export type WrittenUpload = z.output<typeof uploadSchema>;

import * as z from "zod";

/** The keys that every target takes that is no model. */
export function programKeys(kind: string) {
  return {
    id: z
      .string()
      .trim()
      .regex(/^[^\s@#/[\]]+$/, { error: "no space, and none of @ # / [ ]" })
      .optional()
      .describe(`Name of the agent, behind the @ of its case ids (${kind})`)
      .meta({ examples: ["shop-agent"] }),
  };
}

import * as z from "../values/deferred-zod.js";
import { strictObject } from "../schema-parts/strict-object.js";
import { didYouMean } from "../values/nearest-name.js";
import { placeholdersIn } from "../values/template.js";

/** What a trial does after a tool error besides reporting it to the agent; null for nothing. */
export type OnToolError = "fail" | NudgeSettings | null;

export interface NudgeSettings {
  /** The message that the agent receives; may contain `nudgePlaceholders`. */
  text: string;
  /** How many nudges one trial may send. */
  max: number;
}

/** The placeholders of a nudge. */
const nudgePlaceholders = ["tool", "error", "error_type", "recommendations"] as const;

const defaultText =
  // language-ignore: the model receives it, so other words would miss the recordings of a test
  "The last call of {{tool}} failed. Adjust it, heed the recommendations of its error if there are any, and try again.";
const defaultMax = 3;

const nudgeTextSchema = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    for (const { name } of placeholdersIn(text)) {
      if (nudgePlaceholders.some((known) => known === name)) continue;
      const listed = nudgePlaceholders.map((known) => `{{${known}}}`).join(", ");
      const hint = didYouMean(name, nudgePlaceholders) ?? `A nudge may contain ${listed}`;
      context.addIssue({ code: "custom", message: `Unknown placeholder {{${name}}}\n${hint}` });
    }
  });

/** `on_tool_error:` of a suite or test. */
export const onToolErrorSchema = z
  .union([
    z.enum(["continue", "fail", "nudge"]),
    strictObject({
      nudge: z
        .union([z.literal(true), nudgeTextSchema])
        .describe(
          "The message that the agent receives if it answers although a retryable call failed: a string that may contain {{tool}}, {{error}}, {{error_type}} and {{recommendations}}, or true for KindLM's message",
        )
        .meta({ examples: ["{{tool}} failed: {{error}}. Please try again."] }),
      max: z
        .int()
        .min(1)
        .optional()
        .describe(`The most nudges in one trial (${defaultMax})`)
        .meta({ examples: [1] }),
    }),
  ])
  .transform((written): OnToolError => {
    if (written === "continue") return null;
    if (written === "fail") return "fail";
    const { nudge, max = defaultMax } = written === "nudge" ? { nudge: true } : written;
    return { text: typeof nudge === "string" ? nudge : defaultText, max };
  })
  .describe(
    "After a tool error: the agent continues (continue, the default), the trial fails (fail), or the agent is asked to try again if it gives up on a retryable error (nudge)",
  )
  .meta({ examples: ["fail", "nudge", { nudge: "{{tool}} failed: {{error}}. Please try again.", max: 2 }] });

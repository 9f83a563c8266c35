import * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";

const factSchema = z.union([z.string().min(1), z.number(), z.boolean()]);

/** `simulated_user:` of a test */
export const simulatedUserSchema = strictObject({
  persona: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe("Who the user is and how they talk; may hold {{placeholders}}. Default: an ordinary customer")
    .meta({ examples: ["A busy customer who writes short messages and dislikes small talk."] }),
  goal: z
    .string()
    .trim()
    .min(1)
    .describe("What the user wants to get done; may hold {{placeholders}}")
    .meta({ examples: ["Cancel order ORD-1 and learn when the money comes back."] }),
  knows: z
    .union([z.array(z.string().min(1)).min(1), z.record(z.string().min(1), factSchema)])
    .optional()
    .describe("What the user can answer when asked: a list of sentences, or names with values")
    .meta({ examples: [{ "order number": "ORD-1", "e-mail": "{{row.email}}" }] }),
  model: z
    .string()
    .min(1)
    .describe("The model that plays the user: an id of models, or provider:model")
    .meta({ examples: ["user-model", "openai:gpt-4.1-mini"] }),
  max_turns: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe("The most messages that the user sends, input: included. Default: 10"),
  stop: z
    .union([z.string().min(1), matcherSchema])
    .optional()
    .describe(
      "Ends the conversation after an answer of the agent: a string that the answer contains, or a matcher over the trial so far, as in when: of an assertion",
    )
    .meta({ examples: ["Goodbye", { tool_calls: { $includes: { tool: "cancel_order" } } }] }),
})
  .describe("A model plays the user: it talks with the agent until its goal is reached or its messages are used up")
  .meta({ examples: [{ goal: "Cancel order ORD-1", model: "user-model", max_turns: 6 }] });

export type WrittenSimulatedUser = z.output<typeof simulatedUserSchema>;

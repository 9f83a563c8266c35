import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { assertListSchema } from "./settings-schema.js";

/** `retry_until` of a test, or of one user turn of a conversation. */
export function retryUntilSchema(assertion: z.ZodType<unknown>) {
  return strictObject({
    assert: assertListSchema(assertion).describe(
      "What the answer must fulfil to be approved; looks at the answered user turn alone",
    ),
    description: z
      .string()
      .min(1)
      .optional()
      .describe("The condition in words for the agent, available in the feedback as {{description}}"),
    max_tries: z
      .int()
      .min(2, { error: 'With fewer than 2 tries nothing is tried again\nWrite at least 2, or check it under "assert"' })
      .max(100)
      .optional()
      .describe("How often the user turn may be answered in all, the first answer included. Default: 3"),
    feedback: z
      .string()
      .min(1)
      .optional()
      .describe(
        "What is added to the user's message after a rejected answer; may hold {{reason}}, {{description}}, {{try}}",
      ),
    stop_when: z
      .array(assertion)
      .min(1, { error: 'An empty "stop_when" never stops\nAdd an assertion, or remove the key' })
      .optional()
      .describe("If all of these hold for a rejected answer, it cannot be fixed and no further try is made"),
    strict: z
      .boolean()
      .optional()
      .describe(
        "Whether a user turn that is never approved fails the trial (true), or its last answer stands. Default: false",
      ),
  })
    .describe("Rolls the conversation back while the answer is rejected, gives the agent the reason and asks it again")
    .meta({
      examples: [
        {
          assert: [{ type: "json", value: { total: { $gt: 0 } } }],
          description: "Answer with JSON that has a total",
          max_tries: 3,
        },
      ],
    });
}

export type WrittenRetryUntil = z.output<ReturnType<typeof retryUntilSchema>>;

import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { retryUntilSchema } from "./retry-until-schema.js";
import { assertListSchema } from "./settings-schema.js";

const imageFields = {
  type: z.literal("image").describe("An image for the model to look at"),
  url: z.string().min(1).optional().describe("Address of the image, fetched by the provider"),
  file: z.string().min(1).optional().describe("Path of a png, jpeg, gif or webp file, sent with the request"),
};

const contentPartSchema = z.discriminatedUnion("type", [
  strictObject({
    type: z.literal("text").describe("Text of the message"),
    text: z.string().min(1).describe("The text; may hold {{placeholders}}"),
  }),
  strictObject(imageFields).superRefine((part, context) => {
    if ((part.url === undefined) !== (part.file === undefined)) return;
    context.addIssue({ code: "custom", message: 'An image has either "url" or "file"' });
  }),
]);

const contentSchema = z
  .union([z.string().min(1), z.array(contentPartSchema).min(1)])
  .describe("A string, or a list of text and images");

const messageSchema = z.discriminatedUnion("role", [
  strictObject({
    role: z.literal("user").describe("Who speaks"),
    content: contentSchema,
  }),
  strictObject({
    role: z.literal("assistant").describe("Who speaks"),
    content: z.string().optional().describe("What the model answered"),
    tool_calls: z
      .array(
        strictObject({
          id: z.string().min(1).optional().describe("Joins the call with its result; made up when left out"),
          tool: z.string().min(1).describe("Name of the tool that was called"),
          args: z.record(z.string(), z.unknown()).default({}).describe("Arguments of the call"),
        }),
      )
      .min(1)
      .optional()
      .describe("Tools that the model called; each needs a message of role tool after it"),
  }),
  strictObject({
    role: z.literal("tool").describe("Who speaks"),
    call_id: z.string().min(1).optional().describe("The call that is answered; the next open one when left out"),
    content: z.unknown().describe("The tool's result: a string, or a value that is sent as JSON"),
    is_error: z.boolean().default(false).describe("Whether the tool failed"),
  }),
]);

export const messagesSchema = z
  .array(messageSchema)
  .min(1)
  .describe("A conversation so far; the model answers its last message")
  .meta({
    examples: [
      [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi!" },
        { role: "user", content: "Where is my order?" },
      ],
    ],
  });

export type WrittenMessage = z.output<typeof messageSchema>;

export const inputSchema = z
  .union([z.string().min(1), strictObject({ messages: messagesSchema })])
  .describe("The user's message: a string, or messages with history and images")
  .meta({ examples: ["Where is order ORD-1?"] });

export function conversationSchema(assertion: z.ZodType<unknown>) {
  return z
    .array(
      strictObject({
        user: contentSchema.describe(
          "The next user message: a string that may contain {{placeholders}}, or text and images",
        ),
        assert: assertListSchema(assertion).optional(),
        retry_until: retryUntilSchema(assertion).optional(),
      }),
    )
    .min(1)
    .describe("User messages sent one after the other, each with its own assertions")
    .meta({ examples: [[{ user: "Cancel order ORD-1" }, { user: "Yes, I am sure" }]] });
}

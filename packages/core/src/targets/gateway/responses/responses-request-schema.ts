import * as z from "../../../values/deferred-zod.js";

/** Unknown keys are allowed: agents send more than a test needs. */
const textPart = z.object({ type: z.enum(["input_text", "output_text"]), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({ type: z.literal("input_image"), image_url: z.string() });

const messageItem = z.object({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textPart, refusalPart, imagePart]))]),
});
const callItem = z.object({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const resultItem = z.object({
  type: z.literal("function_call_output"),
  call_id: z.string(),
  output: z.union([z.string(), z.array(textPart)]),
});
/** What the model thought; who wants it back keeps it in KindLM. */
const reasoningItem = z.object({ type: z.literal("reasoning") });
const referenceItem = z.object({ type: z.literal("item_reference"), id: z.string() });

const itemSchema = z.union([messageItem, callItem, resultItem, reasoningItem, referenceItem]);

/** An item of a conversation, without references to others. */
export type ResponsesItem =
  | z.output<typeof messageItem>
  | z.output<typeof callItem>
  | z.output<typeof resultItem>
  | z.output<typeof reasoningItem>;

const toolSchema = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.json()).nullish(),
});

/** The part of `POST /v1/responses` that is passed on, as OpenAI's API reference has it. */
export const responsesRequestSchema = z.object({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(itemSchema)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z
    .union([z.enum(["auto", "none", "required"]), z.object({ type: z.literal("function"), name: z.string() })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_output_tokens: z.number().nullish(),
  reasoning: z.object({ effort: z.string().nullish() }).nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("text") }),
          z.object({ type: z.literal("json_object") }),
          z.object({
            type: z.literal("json_schema"),
            name: z.string(),
            schema: z.record(z.string(), z.json()),
            strict: z.boolean().nullish(),
          }),
        ])
        .nullish(),
    })
    .nullish(),
  stream: z.boolean().nullish(),
});

export type ResponsesRequest = z.output<typeof responsesRequestSchema>;

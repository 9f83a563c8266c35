import * as z from "../../../values/deferred-zod.js";

/** Unknown keys are allowed: agents send more than a test needs. */
const textPart = z.object({ type: z.literal("text"), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) });

const texts = z.union([z.string(), z.array(textPart)]);

const messageSchema = z.discriminatedUnion("role", [
  z.object({ role: z.enum(["system", "developer"]), content: texts }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(z.union([textPart, imagePart]))]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.union([textPart, refusalPart]))]).nullish(),
    tool_calls: z
      .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
      .nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: texts }),
]);

const toolSchema = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.json()).nullish(),
  }),
});

/** The part of `POST /v1/chat/completions` that is passed on, as OpenAI's API reference has it. */
export const chatRequestSchema = z.object({
  model: z.string().nullish(),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  seed: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  reasoning_effort: z.string().nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("text") }),
      z.object({ type: z.literal("json_object") }),
      z.object({
        type: z.literal("json_schema"),
        json_schema: z.object({
          name: z.string(),
          schema: z.record(z.string(), z.json()),
          strict: z.boolean().nullish(),
        }),
      }),
    ])
    .nullish(),
  n: z.literal(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

export type ChatRequest = z.output<typeof chatRequestSchema>;
export type ChatMessage = ChatRequest["messages"][number];

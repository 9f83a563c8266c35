import type { ConverseCommandInput, Message as SdkMessage } from "@aws-sdk/client-bedrock-runtime";
import type { Message } from "../../packages/core/src/transcript/message.js";
import { requestOf } from "./adapter-under-test.js";
import { profile } from "./bedrock-under-test.js";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const schema = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const tools = [
  { name: "lookup_order", description: "Look an order up by its id", parameters: schema },
  { name: "cancel_order", parameters: schema },
];
/** With an image, two parallel calls, a failed one, and a further message of the user right behind the results. */
const history: readonly Message[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "Where are these orders?" },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: pixel } },
    ],
  },
  {
    role: "assistant",
    text: "Let me look.",
    toolCalls: [
      { id: "call_1", tool: "lookup_order", args: { order_id: "ORD-1" } },
      { id: "call_2", tool: "lookup_order", args: undefined, malformed: { raw: "{oops", reason: "bad" } },
    ],
  },
  { role: "tool", callId: "call_1", tool: "lookup_order", content: '{"status":"delivered"}', isError: false },
  {
    role: "tool",
    callId: "call_2",
    tool: "lookup_order",
    content: '{"ok":false,"error":"no such order"}',
    isError: true,
  },
  { role: "user", content: "Never mind the second." },
  { role: "assistant", text: "ORD-1 was delivered.", toolCalls: [] },
  { role: "user", content: "Cancel it." },
];

/** The API wants the roles to take turns, so that the results and the message behind them are one message. */
const sdkHistory: SdkMessage[] = [
  {
    role: "user",
    content: [
      { text: "Where are these orders?" },
      { image: { format: "png", source: { bytes: Buffer.from(pixel, "base64") } } },
    ],
  },
  {
    role: "assistant",
    content: [
      { text: "Let me look." },
      { toolUse: { toolUseId: "call_1", name: "lookup_order", input: { order_id: "ORD-1" } } },
      // The API takes objects only.
      { toolUse: { toolUseId: "call_2", name: "lookup_order", input: {} } },
    ],
  },
  {
    role: "user",
    content: [
      { toolResult: { toolUseId: "call_1", content: [{ text: '{"status":"delivered"}' }] } },
      {
        toolResult: {
          toolUseId: "call_2",
          content: [{ text: '{"ok":false,"error":"no such order"}' }],
          status: "error",
        },
      },
      { text: "Never mind the second." },
    ],
  },
  { role: "assistant", content: [{ text: "ORD-1 was delivered." }] },
  { role: "user", content: [{ text: "Cancel it." }] },
];

export const sdkInput: ConverseCommandInput = {
  modelId: profile,
  system: [{ text: "You are terse." }],
  messages: sdkHistory,
  inferenceConfig: { maxTokens: 512, temperature: 0, topP: 0.9, stopSequences: ["END"] },
  toolConfig: {
    tools: [
      { toolSpec: { name: "lookup_order", description: "Look an order up by its id", inputSchema: { json: schema } } },
      { toolSpec: { name: "cancel_order", inputSchema: { json: schema } } },
    ],
    toolChoice: { tool: { name: "cancel_order" } },
  },
  outputConfig: {
    textFormat: { type: "json_schema", structure: { jsonSchema: { name: "verdict", schema: JSON.stringify(schema) } } },
    effort: "low",
  },
  additionalModelRequestFields: { top_k: 5 },
};

export const request = requestOf({
  system: "You are terse.",
  messages: history,
  tools,
  params: {
    max_tokens: 512,
    temperature: 0,
    top_p: 0.9,
    stop: ["END"],
    // The API has no counterpart of these four.
    seed: 7,
    frequency_penalty: 0.5,
    presence_penalty: -0.5,
    parallel_tool_calls: false,
    reasoning_effort: "low",
    tool_choice: { tool: "cancel_order" },
    response_format: { name: "verdict", schema },
    extra_body: { additionalModelRequestFields: { top_k: 5 } },
  },
});

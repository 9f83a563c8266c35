import type { ToolDefinition } from "../../packages/core/src/providers/provider.js";
import type { Message } from "../../packages/core/src/transcript/message.js";

export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };

export const sampleTools: readonly ToolDefinition[] = [
  { name: "lookup_order", description: "Look an order up by its id", parameters },
  { name: "cancel_order", parameters },
];

/** A conversation with images, two parallel calls, a failed one, and a further user message. */
export const sampleHistory: readonly Message[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "Where are these orders?" },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: pixel } },
      { type: "image", source: { kind: "url", url: "https://example.com/label.png" } },
    ],
  },
  {
    role: "assistant",
    text: "Let me look.",
    toolCalls: [
      { id: "call_1", tool: "lookup_order", args: { order_id: "ORD-1" } },
      { id: "call_2", tool: "lookup_order", args: { order_id: "ORD-2" } },
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
  { role: "assistant", text: "ORD-1 was delivered.", toolCalls: [] },
  { role: "user", content: "Cancel it." },
];

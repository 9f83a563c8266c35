import type { FakeModel, NeutralRequest } from "./fake-model.js";

interface MistralMessage {
  role: string;
  content: string | readonly { type: string; text?: string }[] | null;
  name?: string;
}

interface MistralRequest {
  messages: readonly MistralMessage[];
  tools?: readonly { function: { name: string } }[];
  stream?: boolean;
}

const model = "mistral-medium-2508";
const usage = { prompt_tokens: 171, total_tokens: 185, completion_tokens: 14 };
const thinking = [{ type: "thinking", thinking: [{ type: "text", text: "Let me think." }] }];

/** How many calls were made: no id comes twice. */
let made = 0;

/** A reasoning model of Mistral: content in chunks, and ids of nine characters. */
export const mistralFake: FakeModel = {
  type: "mistral",
  config: (baseUrl) => ({ type: "mistral", base_url: baseUrl, api_key_env: "MISTRAL_API_KEY" }),
  env: { MISTRAL_API_KEY: "mistral-fake" },
  isStream: ({ body }) => parse(body).stream === true,
  read: ({ body }) => readMistral(parse(body)),
  reply({ text, toolCalls }, isStream) {
    const calls = toolCalls.map(({ tool, args }, index) => ({
      id: `fake${String((made += 1)).padStart(5, "0")}`,
      index,
      function: { name: tool, arguments: JSON.stringify(args) },
    }));
    const finish = calls.length > 0 ? "tool_calls" : "stop";
    const called = calls.length > 0 ? { tool_calls: calls } : {};
    const said = text === "" ? [] : [{ type: "text", text }];
    const base = { id: `fake-${made}`, created: 1_787_234_678, model };
    if (!isStream) {
      const message = { role: "assistant", content: [...thinking, ...said], ...called };
      const choices = [{ index: 0, message, finish_reason: finish }];
      const body = JSON.stringify({ ...base, object: "chat.completion", usage, choices });
      return { headers: { "content-type": "application/json", "mistral-correlation-id": base.id }, body };
    }
    const chunk = (delta: unknown, finishReason: string | null = null, rest: object = {}): string => {
      const choices = [{ index: 0, delta, finish_reason: finishReason }];
      return `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...rest })}\n\n`;
    };
    const pieces = text === "" ? [] : [text.slice(0, 1), text.slice(1)];
    const chunks = [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: thinking }),
      ...pieces.map((piece) => chunk({ content: [{ type: "text", text: piece }] })),
      chunk({ content: "", ...called }, finish, { usage }),
      "data: [DONE]\n\n",
    ];
    const headers = { "content-type": "text/event-stream", "mistral-correlation-id": base.id };
    return { headers, body: chunks.join("") };
  },
};

function parse(body: string): MistralRequest {
  return JSON.parse(body) as MistralRequest;
}

function readMistral({ messages, tools = [] }: MistralRequest): NeutralRequest {
  const textsOf = (role: string): string[] =>
    messages.filter((message) => message.role === role).map(({ content }) => textOf(content));
  return {
    system: textsOf("system")[0] ?? null,
    userTexts: textsOf("user"),
    toolResults: messages
      .filter(({ role }) => role === "tool")
      .map(({ name, content }) => ({ tool: name ?? null, content: textOf(content) })),
    tools: tools.map((tool) => tool.function.name),
  };
}

function textOf(content: MistralMessage["content"]): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n");
}

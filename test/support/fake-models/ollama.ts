import type { FakeModel, NeutralRequest } from "./fake-model.js";

interface OllamaMessage {
  role: string;
  content: string;
  tool_name?: string;
}

interface OllamaRequest {
  messages: readonly OllamaMessage[];
  tools?: readonly { function: { name: string } }[];
  /** The API streams unless it is told not to. */
  stream?: boolean;
}

const head = { model: "qwen3:8b", created_at: "2026-10-17T23:14:07.414671Z" };
const end = { done: true, done_reason: "stop", prompt_eval_count: 171, eval_count: 14, total_duration: 174_560_334 };

/** A thinking model on Ollama: arguments as objects, calls without ids, a line of JSON for each piece. */
export const ollamaFake: FakeModel = {
  type: "ollama",
  config: (baseUrl) => ({ type: "ollama", base_url: baseUrl }),
  env: {},
  isStream: ({ body }) => parse(body).stream !== false,
  read: ({ body }) => readOllama(parse(body)),
  reply({ text, toolCalls }, isStream) {
    const calls = toolCalls.map(({ tool, args }) => ({ function: { name: tool, arguments: args } }));
    const thinking = "Let me think.";
    if (!isStream) {
      const message = {
        role: "assistant",
        content: text,
        thinking,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
      const headers = { "content-type": "application/json; charset=utf-8" };
      return { headers, body: JSON.stringify({ ...head, message, ...end }) };
    }
    const line = (message: object, rest: object = { done: false }): string =>
      `${JSON.stringify({ ...head, message: { role: "assistant", content: "", ...message }, ...rest })}\n`;
    const pieces = text === "" ? [] : [text.slice(0, 1), text.slice(1)];
    const lines = [
      line({ thinking }),
      ...pieces.map((content) => line({ content })),
      ...calls.map((call) => line({ tool_calls: [call] })),
      line({}, end),
    ];
    return { headers: { "content-type": "application/x-ndjson" }, body: lines.join("") };
  },
};

function parse(body: string): OllamaRequest {
  return JSON.parse(body) as OllamaRequest;
}

function readOllama({ messages, tools = [] }: OllamaRequest): NeutralRequest {
  const textsOf = (role: string): string[] =>
    messages.filter((message) => message.role === role).map(({ content }) => content);
  return {
    system: textsOf("system")[0] ?? null,
    userTexts: textsOf("user"),
    toolResults: messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_name: tool, content }) => ({ tool: tool ?? null, content })),
    tools: tools.map((tool) => tool.function.name),
  };
}

import { chatCompletion } from "../../../packages/core/src/__fixtures__/provider-replies.js";
import { streamFrames } from "../provider-streams.js";
import type { FakeModel, NeutralRequest } from "./fake-model.js";
import { withIds } from "./with-ids.js";

/** Chat completions of OpenAI. */
export const openaiFake: FakeModel = {
  type: "openai",
  config: (baseUrl) => ({ type: "openai", base_url: `${baseUrl}/v1`, api_key_env: "OPENAI_API_KEY" }),
  env: { OPENAI_API_KEY: "sk-fake-openai" },
  read: ({ body }) => readChatRequest(body),
  reply(answer, isStream) {
    const said = withIds(answer);
    return isStream
      ? { headers: { "content-type": "text/event-stream" }, body: streamFrames("openai", said).join("") }
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(chatCompletion(said)) };
  },
  isStream: ({ body }) => (JSON.parse(body) as { stream?: boolean }).stream === true,
};

interface ChatMessage {
  role: string;
  content: string | readonly { type: string; text?: string }[] | null;
  tool_calls?: readonly { id: string; function: { name: string } }[];
  tool_call_id?: string;
}

/** What a chat completion is asked for. */
function readChatRequest(body: string): NeutralRequest {
  const { messages, tools = [] } = JSON.parse(body) as {
    messages: readonly ChatMessage[];
    tools?: readonly { function: { name: string } }[];
  };
  const names = new Map<string, string>(
    messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => [call.id, call.function.name])),
  );
  const textsOf = (role: string): string[] =>
    messages.flatMap((message) => (message.role === role ? [textOf(message)] : []));
  return {
    system: textsOf("system")[0] ?? null,
    userTexts: textsOf("user"),
    toolResults: messages.flatMap((message) =>
      message.role === "tool"
        ? [{ tool: names.get(message.tool_call_id ?? "") ?? null, content: textOf(message) }]
        : [],
    ),
    tools: tools.map((tool) => tool.function.name),
  };
}

function textOf({ content }: ChatMessage): string {
  if (content === null || typeof content === "string") return content ?? "";
  return content.flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n");
}

import { chatCompletion } from "../../../packages/core/src/__fixtures__/provider-replies.js";
import type { FakeModel, NeutralRequest } from "./fake-model.js";

const filterResults = {
  hate: { filtered: false, severity: "safe" },
  jailbreak: { filtered: false, detected: false },
  self_harm: { filtered: false, severity: "safe" },
  sexual: { filtered: false, severity: "safe" },
  violence: { filtered: false, severity: "safe" },
};
const promptFilterResults = [{ prompt_index: 0, content_filter_results: filterResults }];

/** How many calls were made: no id comes twice. */
let calls = 0;

/** Azure OpenAI's chat completions, with what its content filter adds to them. */
export const azureFake: FakeModel = {
  type: "azure",
  config: (baseUrl) => ({ type: "azure", base_url: baseUrl, api_key_env: "AZURE_OPENAI_API_KEY" }),
  env: { AZURE_OPENAI_API_KEY: "azure-fake" },
  read: ({ body }) => readChatRequest(body),
  reply(answer, isStream) {
    const { text, toolCalls } = answer;
    const completion = azureCompletion({
      ...(text === "" ? {} : { text }),
      toolCalls: toolCalls.map(({ tool, args }) => ({ id: `call_${(calls += 1)}`, tool, args })),
    });
    if (!isStream) return { headers: { "content-type": "application/json" }, body: JSON.stringify(completion) };
    return { headers: { "content-type": "text/event-stream" }, body: azureStream(completion) };
  },
  isStream: ({ body }) => (JSON.parse(body) as { stream?: boolean }).stream === true,
};

interface Completion extends Record<string, unknown> {
  choices: { message: { content: string | null; tool_calls?: Call[] }; finish_reason: string }[];
}

interface Call {
  id: string;
  function: { name: string; arguments: string };
}

/** A chat completion as Azure sends it. */
export function azureCompletion(answer: Parameters<typeof chatCompletion>[0]): Completion {
  const completion = chatCompletion(answer) as Completion;
  return {
    ...completion,
    choices: completion.choices.map((choice) => ({ ...choice, content_filter_results: filterResults })),
    prompt_filter_results: promptFilterResults,
  };
}

/** The same as a stream: the first chunk holds the results for the prompt, the last those for the answer. */
export function azureStream(completion: Completion): string {
  const [choice] = completion.choices;
  const { content, tool_calls: asked = [] } = choice?.message ?? { content: null };
  const { id, created, model, usage } = completion;
  const chunk = (delta: unknown, finish: string | null = null): object => ({
    id,
    created,
    model,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish, content_filter_results: {} }],
  });
  const nameless = { id: "", created: 0, model: "", object: "" };
  const text = content ?? "";
  const middle = Math.ceil(text.length / 2);
  const chunks = [
    { ...nameless, choices: [], prompt_filter_results: promptFilterResults },
    chunk({ role: "assistant", content: "" }),
    ...(text === "" ? [] : [chunk({ content: text.slice(0, middle) }), chunk({ content: text.slice(middle) })]),
    ...asked.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...call, type: "function", function: { ...call.function, arguments: "" } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: call.function.arguments } }] }),
    ]),
    chunk({}, choice?.finish_reason ?? "stop"),
    { id, created, model, object: "chat.completion.chunk", choices: [], usage },
    { ...nameless, choices: [{ index: 0, finish_reason: null, content_filter_results: filterResults }] },
  ];
  return `${chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("")}data: [DONE]\n\n`;
}

interface ChatMessage {
  role: string;
  content: string | readonly { type: string; text?: string }[] | null;
  tool_calls?: readonly Call[];
  tool_call_id?: string;
}

function readChatRequest(body: string): NeutralRequest {
  const { messages, tools = [] } = JSON.parse(body) as {
    messages: readonly ChatMessage[];
    tools?: readonly { function: { name: string } }[];
  };
  const textsOf = (role: string): readonly string[] =>
    messages.filter((message) => message.role === role).map(({ content }) => textOf(content));
  const asked = messages.flatMap((message) => message.tool_calls ?? []);
  const names = new Map(asked.map((call) => [call.id, call.function.name]));
  return {
    system: textsOf("system")[0] ?? null,
    userTexts: textsOf("user"),
    toolResults: messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id = "", content }) => ({ tool: names.get(id) ?? null, content: textOf(content) })),
    tools: tools.map((tool) => tool.function.name),
  };
}

function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n");
}

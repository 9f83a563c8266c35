import { namedEvents, responseBody, responseEvents } from "../responses-replies.js";
import type { FakeModel, NeutralRequest } from "./fake-model.js";

/** How many calls were made: no id comes twice. */
let calls = 0;

/** OpenAI's Responses API. */
export const openaiResponsesFake: FakeModel = {
  type: "openai",
  config: (baseUrl) => ({ type: "openai", base_url: `${baseUrl}/v1`, api: "responses", api_key_env: "OPENAI_API_KEY" }),
  env: { OPENAI_API_KEY: "sk-fake" },
  read: ({ body }) => readResponsesRequest(body),
  reply(answer, isStream) {
    const { text, toolCalls } = answer;
    const response = responseBody({
      ...(text === "" ? {} : { text }),
      toolCalls: toolCalls.map(({ tool, args }) => ({ id: `call_${(calls += 1)}`, tool, args })),
    });
    if (!isStream) return { headers: { "content-type": "application/json" }, body: JSON.stringify(response) };
    return { headers: { "content-type": "text/event-stream" }, body: namedEvents(responseEvents(response)) };
  },
  isStream: ({ body }) => (JSON.parse(body) as { stream?: boolean }).stream === true,
};

interface Item {
  type?: string;
  role?: string;
  content?: string | readonly { type: string; text?: string }[];
  call_id?: string;
  name?: string;
  output?: string;
}

function readResponsesRequest(body: string): NeutralRequest {
  const { input, tools = [] } = JSON.parse(body) as { input: readonly Item[]; tools?: readonly { name: string }[] };
  const textsOf = (role: string): readonly string[] =>
    input.filter((item) => item.role === role).map(({ content = "" }) => textOf(content));
  const asked = input.filter(({ type }) => type === "function_call");
  const names = new Map(asked.map((item) => [item.call_id, item.name]));
  return {
    system: textsOf("system")[0] ?? null,
    userTexts: textsOf("user"),
    toolResults: input
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id: id, output = "" }) => ({ tool: names.get(id) ?? null, content: output })),
    tools: tools.map(({ name }) => name),
  };
}

function textOf(content: NonNullable<Item["content"]>): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ type, text }) => (type === "input_text" && text !== undefined ? [text] : [])).join("\n");
}

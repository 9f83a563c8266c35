import type { FakeModel, NeutralAnswer } from "./fake-model.js";

interface CohereBlock {
  type: string;
  text?: string;
}

interface CohereMessage {
  role: "system" | "user" | "assistant" | "tool";
  content?: string | readonly CohereBlock[];
  tool_calls?: readonly { id: string; function: { name: string } }[];
  tool_call_id?: string;
}

interface CohereBody {
  messages: readonly CohereMessage[];
  tools?: readonly { function: { name: string } }[];
  stream?: boolean;
}

/** An agent that speaks the language of Cohere's v2 Chat API. */
export const cohereFake: FakeModel = {
  type: "cohere",
  config: (baseUrl) => ({ type: "cohere", base_url: baseUrl, api_key_env: "CO_API_KEY" }),
  env: { CO_API_KEY: "cohere-test-key" },
  isStream: ({ body }) => (JSON.parse(body) as CohereBody).stream === true,
  read({ body }) {
    const { messages, tools = [] } = JSON.parse(body) as CohereBody;
    const calls = messages.flatMap((message) => message.tool_calls ?? []);
    const ofRole = (role: CohereMessage["role"]) => messages.filter((message) => message.role === role);
    return {
      system: ofRole("system").map(textOf)[0] ?? null,
      userTexts: ofRole("user").map(textOf),
      toolResults: ofRole("tool").map((message) => ({
        tool: calls.find(({ id }) => id === message.tool_call_id)?.function.name ?? null,
        content: textOf(message),
      })),
      tools: tools.map((tool) => tool.function.name),
    };
  },
  reply: (answer, isStream) =>
    isStream
      ? {
          headers: { "content-type": "text/event-stream" },
          body: cohereEvents(answer)
            .map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`)
            .join(""),
        }
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(cohereReply(answer)) },
};

const id = "fba98ad3-e5a1-413c-a8de-84fbf9baabf7";
const usage = {
  billed_units: { input_tokens: 37, output_tokens: 28 },
  tokens: { input_tokens: 913, output_tokens: 83 },
  cached_tokens: 800,
};

/** A reply in the shape that Cohere documents: a plan goes before calls, content stands alone. */
export function cohereReply({ text, toolCalls }: NeutralAnswer): Record<string, unknown> {
  const calls = callsOf(toolCalls);
  const message =
    calls.length > 0
      ? { role: "assistant", ...(text === "" ? {} : { tool_plan: text }), tool_calls: calls }
      : { role: "assistant", content: [{ type: "text", text }] };
  return { id, message, finish_reason: finishOf(toolCalls), usage };
}

/** The same reply as events, the text and the arguments each in two pieces. */
export function cohereEvents({ text, toolCalls }: NeutralAnswer): readonly Record<string, unknown>[] {
  const empty = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
  const said =
    toolCalls.length > 0
      ? halves(text).map((piece) => ({ type: "tool-plan-delta", delta: { message: { tool_plan: piece } } }))
      : [
          at("content-start", 0, { content: { type: "text", text: "" } }),
          ...halves(text).map((piece) => at("content-delta", 0, { content: { text: piece } })),
          { type: "content-end", index: 0 },
        ];
  return [
    { id, type: "message-start", delta: { message: empty } },
    ...said,
    ...callsOf(toolCalls).flatMap((call, index) => [
      at("tool-call-start", index, { tool_calls: { ...call, function: { ...call.function, arguments: "" } } }),
      ...halves(call.function.arguments).map((piece) =>
        at("tool-call-delta", index, { tool_calls: { function: { arguments: piece } } }),
      ),
      { type: "tool-call-end", index },
    ]),
    { type: "message-end", delta: { finish_reason: finishOf(toolCalls), usage } },
  ];
}

function at(type: string, index: number, message: Record<string, unknown>): Record<string, unknown> {
  return { type, index, delta: { message } };
}

function callsOf(toolCalls: NeutralAnswer["toolCalls"]) {
  return toolCalls.map(({ tool, args }, index) => ({
    id: `${tool}_p1t92w7gfg${index}`,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
}

function finishOf(toolCalls: NeutralAnswer["toolCalls"]): string {
  return toolCalls.length > 0 ? "TOOL_CALL" : "COMPLETE";
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}

function textOf({ content = "" }: CohereMessage): string {
  return typeof content === "string" ? content : content.flatMap(({ text }) => text ?? []).join("\n");
}

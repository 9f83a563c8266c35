import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../../__fixtures__/clean-up.js";
import { scriptedConfig } from "../../__fixtures__/scripted-config.js";
import { sendJson, startServer, type ReceivedRequest } from "../../__fixtures__/start-server.js";
import { runGatewayAgent, type GatewayAccess } from "./__fixtures__/run-gateway-agent.js";

const args = '{"a":1}';
const call = { id: "c1", type: "function", function: { name: "own", arguments: args } };
const item = { type: "function_call", id: "fc_1", call_id: "c1", name: "own", arguments: args, status: "completed" };
const toolUse = { type: "tool_use", id: "c1", name: "own", input: { a: 1 } };
const geminiReply = {
  candidates: [
    { content: { role: "model", parts: [{ functionCall: { name: "own", args: { a: 1 } } }] }, finishReason: "STOP" },
  ],
};
const message = { id: "m", type: "message", role: "assistant", model: "up", stop_sequence: null };
const usage = { input_tokens: 1, output_tokens: 1 };

/** A server that speaks every API and always calls a tool. */
const upstream = startServer(({ path, json }: ReceivedRequest, response) => {
  const { stream } = json as { stream?: boolean };
  if (path.includes("Content")) {
    if (!path.includes("stream")) return sendJson(response, 200, geminiReply);
    return sendEvents(response, [geminiReply]);
  }
  if (path.includes("/messages")) return anthropicReply(response, stream === true);
  const isChat = path.includes("/chat");
  const whole = isChat
    ? {
        id: "x",
        object: "chat.completion",
        choices: [
          { index: 0, message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" },
        ],
      }
    : { id: "r", object: "response", status: "completed", model: "up", output: [item] };
  if (stream !== true) return sendJson(response, 200, whole);
  if (isChat) {
    const chunk = (delta: object, finish_reason: string | null) => ({
      id: "x",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const [first, second] = [args.slice(0, 2), args.slice(2)];
    return sendEvents(response, [
      chunk(
        { role: "assistant", tool_calls: [{ index: 0, ...call, function: { name: "own", arguments: first } }] },
        null,
      ),
      chunk({ tool_calls: [{ index: 0, function: { arguments: second } }] }, null),
      chunk({}, "tool_calls"),
      "[DONE]",
    ]);
  }
  const at = { item_id: "fc_1", output_index: 0 };
  return sendEvents(response, [
    { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
    { type: "response.function_call_arguments.delta", ...at, delta: args },
    { type: "response.function_call_arguments.done", ...at, name: "own", arguments: args },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: whole },
  ]);
});
afterFile(async () => (await upstream).close());

function anthropicReply(response: ServerResponse, isStream: boolean): void {
  if (!isStream) return sendJson(response, 200, { ...message, content: [toolUse], stop_reason: "tool_use", usage });
  return sendEvents(response, [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: { ...toolUse, input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: args } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

function sendEvents(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const name = typeof event === "object" && "type" in event ? `event: ${String(event.type)}\n` : "";
    response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

/** What an agent got: the arguments of a call as they came, or what it says. */
type Client = (access: GatewayAccess, isStream: boolean) => Promise<unknown>;

const parameters = { type: "object" as const, properties: {} };

const clients: Readonly<Record<"chat" | "responses" | "anthropic" | "gemini", Client>> = {
  async chat({ baseURL, apiKey }, isStream) {
    const openai = new OpenAI({ baseURL, apiKey });
    const asked = { model: "m-1", messages: [{ role: "user" as const, content: "go" }] };
    const whole = isStream
      ? await openai.chat.completions.stream(asked).finalChatCompletion()
      : await openai.chat.completions.create(asked);
    const said = whole.choices[0]?.message;
    const [called] = said?.tool_calls ?? [];
    return said?.refusal ?? (called?.type === "function" ? called.function.arguments : said?.content);
  },
  async responses({ baseURL, apiKey }, isStream) {
    const openai = new OpenAI({ baseURL, apiKey });
    const asked = { model: "m-1", input: "go" };
    const { output } = isStream
      ? await openai.responses.stream(asked).finalResponse()
      : await openai.responses.create(asked);
    const [first] = output;
    if (first?.type === "function_call") return first.arguments;
    const [part] = first?.type === "message" ? first.content : [];
    return part?.type === "refusal" ? part.refusal : part?.text;
  },
  async anthropic({ anthropic: { baseURL, apiKey } }, isStream) {
    const client = new Anthropic({ baseURL, apiKey });
    const asked = { model: "m-1", max_tokens: 9, messages: [{ role: "user" as const, content: "go" }] };
    if (!isStream) {
      const { content, stop_reason: reason } = await client.messages.create(asked);
      const [block] = content;
      if (block?.type === "tool_use") return block.input;
      return reason === "refusal" && block?.type === "text" ? block.text : reason;
    }
    let json = "";
    const stream = await client.messages.create({ ...asked, stream: true });
    let reason: string | null = null;
    for await (const event of stream) {
      if (event.type === "message_delta") reason = event.delta.stop_reason;
      if (event.type !== "content_block_delta") continue;
      if (event.delta.type === "input_json_delta") json += event.delta.partial_json;
      if (event.delta.type === "text_delta") json += event.delta.text;
    }
    if (reason === null) throw new Error("The stream broke off");
    return json;
  },
  async gemini({ gemini: { baseUrl, apiKey } }, isStream) {
    const retryOptions = { attempts: 3, initialDelay: 0.001, jitter: 0 };
    const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl, retryOptions } });
    const asked = {
      model: "m-1",
      contents: "go",
      config: { tools: [{ functionDeclarations: [{ name: "own", parametersJsonSchema: parameters }] }] },
    };
    const answers = isStream ? await ai.models.generateContentStream(asked) : [await ai.models.generateContent(asked)];
    let said: unknown = null;
    for await (const { candidates } of answers) {
      const { finishReason, content } = candidates?.[0] ?? {};
      const [part] = content?.parts ?? [];
      said = String(finishReason) === "SAFETY" ? part?.text : (part?.functionCall?.args ?? finishReason);
    }
    return said;
  },
};

const apis = Object.keys(clients) as (keyof typeof clients)[];
/** Each API, passed through and translated, whole and streamed. */
const ways = apis.flatMap((api) =>
  [true, false].flatMap((isPassed) => [false, true].map((isStream) => [api, isPassed, isStream] as const)),
);

const providers = {
  chat: (url: string) => `{ type: openai, base_url: "${url}/v1", api_key_env: K, api: chat }`,
  responses: (url: string) => `{ type: openai, base_url: "${url}/v1", api_key_env: K, api: responses }`,
  anthropic: (url: string) => `{ type: anthropic, base_url: "${url}", api_key_env: K }`,
  gemini: (url: string) => `{ type: gemini, base_url: "${url}/v1beta", api_key_env: K }`,
};

/** The tests of a run, by their names. */
const faults = {
  errors: `{ model: "*", kind: error, status: 429, retry_after: 1ms, times: 2 }`,
  malformed: `{ model: "m-?", kind: malformed_call, call: 1 }`,
  refusal: `{ model: "*", kind: refusal, text: "No way." }`,
  cut: `{ model: "*", kind: cut_stream, after: 2 }`,
};
type Fault = keyof typeof faults;

/** Runs an agent under each fault, and gives what came of one. `isPassed`: whether the model speaks the agent's API. */
async function run(api: keyof typeof clients, isPassed: boolean, isStream: boolean) {
  const { url } = await upstream;
  const tests = Object.entries(faults).map(
    ([name, fault]) =>
      `      - { name: ${name}, input: ${name}, faults: [${fault}], assert: [{ type: turns, min: 0 }] }\n`,
  );
  const suites = `  - name: s\n    target: {{target}}\n    tests:\n${tests.join("")}`;
  const config = isPassed
    ? `version: 1
providers: { up: ${providers[api](url)} }
models: [{ id: m, provider: up, model: m-1 }]
suites:
${suites}`
    : scriptedConfig({ suites, otherwise: "{ tool_calls: [{ tool: own, args: { a: 1 } }] }" });
  const got = new Map<string, unknown>();
  const { trials } = await runGatewayAgent(
    async (name, access) => {
      got.set(name, await clients[api](access, isStream).catch((error: unknown) => `failed: ${String(error)}`));
      return "done";
    },
    { config, env: { K: "sk-the-real-key-0123456789" } },
  );
  return (name: Fault) => {
    const trial = trials.find(({ caseId }) => caseId.startsWith(`s/${name}@`));
    if (trial === undefined) throw new Error(`no trial of ${name}`);
    return { trial, got: got.get(name) };
  };
}

const usual = { chat: args, responses: args, anthropic: { a: 1 }, gemini: { a: 1 } };
const broken = {
  chat: `{${args}`,
  responses: `{${args}`,
  anthropic: `{${args}`,
  gemini: "MALFORMED_FUNCTION_CALL",
};

describe.each(ways)("faults of the model: %s (passed: %s, streamed: %s)", (api, isPassed, isStream) => {
  const whole = api === "anthropic" && isStream ? args : usual[api];
  let under: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    under = await run(api, isPassed, isStream);
  });

  it("let the client try again after an error", () => {
    const { trial, got } = under("errors");
    expect(got).toEqual(whole);
    expect(trial).toMatchObject({
      status: "passed",
      faults: [{ id: "error:model", model: "*", calls: 3, fired: 2 }],
      turns: [
        { fault: { kind: "error" }, costUsd: 0 },
        { aside: "retry", fault: { id: "error:model" } },
        { aside: "retry" },
      ],
    });
    expect(trial.turns[2]).not.toHaveProperty("fault");
  });

  it("break arguments, and refuse", () => {
    const { trial, got } = under("malformed");
    expect(got).toEqual(broken[api]);
    expect(trial).toMatchObject({
      toolCalls: [{ tool: "own", args: `{${args}`, fault: { id: "malformed_call:model" } }],
      turns: [{ fault: { kind: "malformed_call" } }],
    });
    const refused = under("refusal");
    expect(refused.got).toBe("No way.");
    expect(refused.trial.turns).toMatchObject([{ finishReason: "refusal", attempts: [] }]);
  });

  it("break a reply off", () => {
    const { trial, got } = under("cut");
    expect(String(got)).toContain("failed: ");
    expect(trial).toMatchObject({ faults: [{ kind: "cut_stream" }], toolCalls: [] });
    expect(trial.turns[0]?.fault).toEqual({ id: "cut_stream:model", kind: "cut_stream" });
  });
});

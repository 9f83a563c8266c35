import type { ServerResponse } from "node:http";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { afterFile } from "../../__fixtures__/clean-up.js";
import { sendJson, startServer, type ReceivedRequest } from "../../__fixtures__/start-server.js";
import { runGatewayAgent, type GatewayAccess } from "./__fixtures__/run-gateway-agent.js";

const key = "sk-the-real-key-0123456789";

/** A server that speaks both APIs of OpenAI, and some things that KindLM has never heard of. */
const upstream = startServer((request, response) => {
  const { tomorrow } = request.json as { tomorrow?: { status: number; after?: number } };
  if (tomorrow !== undefined && (tomorrow.after ?? 0) < request.number) {
    const error = { message: "Too long: shorten it", type: "invalid_request_error", code: "context_length_exceeded" };
    return sendJson(response, tomorrow.status, { error }, { "x-should-retry": "false" });
  }
  return answer(request, response);
});
afterFile(async () => (await upstream).close());

const head = { id: "chatcmpl-up", created: 7, model: "served-model" };
const call = { id: "call_up", type: "function", function: { name: "own", arguments: '{"a":1}' } };
const usage = { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 };

function answer({ json, path }: ReceivedRequest, response: ServerResponse): void {
  const { stream, messages } = json as { stream?: boolean; messages?: readonly { role: string }[] };
  if (path.startsWith("/v1/responses")) {
    const content = [{ type: "output_text", text: "Native", annotations: [] }];
    const output = [{ type: "message", id: "msg_up", role: "assistant", status: "completed", content }];
    return sendJson(response, 200, {
      id: "resp_up",
      object: "response",
      status: "completed",
      model: "served-model",
      output,
    });
  }
  const isDone = messages?.some(({ role }) => role === "tool") === true;
  const message = isDone
    ? { role: "assistant", content: "Done" }
    : { role: "assistant", content: null, tool_calls: [call] };
  const reason = isDone ? "stop" : "tool_calls";
  const headers = { "x-request-id": "req_up", "x-tomorrow": "kept", "set-cookie": "a=b" };
  if (stream !== true) {
    const choices = [{ index: 0, message: { ...message, reasoning_content: "hm" }, finish_reason: reason }];
    return sendJson(response, 200, { ...head, object: "chat.completion", choices, usage, tomorrow: true }, headers);
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  const { tool_calls: calls, ...rest } = { tool_calls: undefined, ...message };
  const delta = { ...rest, ...(calls === undefined ? {} : { tool_calls: [{ index: 0, ...call }] }) };
  for (const choice of [
    { index: 0, delta },
    { index: 0, delta: {}, finish_reason: reason },
  ]) {
    response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [choice] })}\n\n: hold\n\n`,
    );
  }
  response.end("data: [DONE]\n\n");
}

async function run(
  agent: (openai: OpenAI, access: GatewayAccess) => Promise<string>,
  more = "",
  api = "chat",
  address?: string,
) {
  const { url: usual, requests } = await upstream;
  const url = address ?? usual;
  const before = requests.length;
  const config = `version: 1
providers: { up: { type: openai, base_url: "${url}/v1", api_key_env: UP_KEY, api: ${api} } }
models: [{ id: m, provider: up, model: exact-model${more} }]
suites:
  - name: s
    target: {{target}}
    tests: [{ name: t, input: "Where?", assert: [{ type: turns, min: 0 }] }]
`;
  const ran = await runGatewayAgent(
    (_input, access) => agent(new OpenAI({ baseURL: access.baseURL, apiKey: access.apiKey, maxRetries: 0 }), access),
    { config, env: { UP_KEY: key } },
  );
  return { ...ran, received: requests.slice(before) };
}

const tooLong = { tomorrow: { status: 400 } };
const messages = [
  { role: "developer" as const, content: "Be kind" },
  { role: "user" as const, content: [{ type: "text" as const, text: "Where?" }], name: "Ann" },
];
const tools = [{ type: "function" as const, function: { name: "own", strict: true, parameters: { type: "object" } } }];

/** A stream that goes on when the agent has its beginning, and may break off then. */
async function heldStream(end: string): Promise<{ url: string; goOn: () => void }> {
  let goOn = (): void => {};
  const isHeard = new Promise<void>((resolve) => (goOn = resolve));
  const server = await startServer(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { content: "Be" } }] })}\n\n`);
    await isHeard;
    response.end(end);
  });
  onTestFinished(() => server.close());
  return { url: server.url, goOn };
}

describe("requests in the language of the model's provider", () => {
  it.each([false, true])("arrive byte for byte, and so does the reply (streamed: %s)", async (stream) => {
    const body = `{ "model" : "exact-model",\n "messages":${JSON.stringify(messages)}, "tools":${JSON.stringify(tools)},
      "stream": ${stream}, "tomorrow_too": 1.50, "n":1, "temperature":0.30 }`;
    const seen: unknown[] = [];
    const cookies: unknown[] = [];
    const { trial, received } = await run(async (_openai, { baseURL, apiKey }) => {
      for (const [address, token] of [
        [baseURL, apiKey],
        [`${(await upstream).url}/v1`, key],
      ]) {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "x-mine": "7" };
        const reply = await fetch(`${address}/chat/completions?api-version=3`, { method: "POST", headers, body });
        const {
          date: _date,
          connection: _c,
          "keep-alive": _k,
          "transfer-encoding": _t,
          "content-length": _l,
          "set-cookie": cookie,
          ...rest
        } = Object.fromEntries(reply.headers);
        seen.push([reply.status, rest, await reply.text()]);
        cookies.push(cookie);
      }
      return "ok";
    });
    const [through, direct] = received;
    expect(seen[0]).toEqual(seen[1]);
    expect(cookies).toEqual([undefined, "a=b"]);
    expect(through?.body).toBe(body);
    expect(through?.path).toBe(direct?.path);
    const { host: _host, "accept-encoding": _encoding, connection: _connection, ...headers } = direct?.headers ?? {};
    expect(through?.headers).toMatchObject(headers);
    expect(trial).toMatchObject({
      gateway: { passed: 1, translated: 0, changes: [] },
      servedBy: "served-model",
      toolCalls: [{ tool: "own", args: { a: 1 } }],
      turns: [{ attempts: [{ requestId: "req_up" }] }],
    });
    expect(JSON.stringify(trial)).not.toContain(key);
  });

  it.each([
    [
      "ends",
      `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
    ],
    ["breaks off", ""],
  ])("get a stream as it comes, also if it %s", async (_how, end) => {
    const held = await heldStream(end);
    const heard: string[] = [];
    const { trial } = await run(
      async (_openai, { baseURL, apiKey }) => {
        const headers = { authorization: `Bearer ${apiKey}` };
        const body = JSON.stringify({ model: "exact-model", messages, stream: true });
        const reply = await fetch(`${baseURL}/chat/completions`, { method: "POST", headers, body });
        const reader = reply.body?.getReader();
        const first = await reader?.read();
        heard.push(new TextDecoder().decode(first?.value).slice(0, 5));
        held.goOn();
        let isOver = false;
        const isWhole = (async () => {
          while (!isOver) isOver = (await reader?.read())?.done ?? true;
        })().then(
          () => "whole",
          () => "cut",
        );
        return isWhole;
      },
      "",
      "chat",
      held.url,
    );
    expect(heard).toEqual(["data:"]);
    if (end === "") expect(trial).toMatchObject({ status: "errored", error: { code: "PROVIDER_NETWORK_ERROR" } });
    else expect(trial).toMatchObject({ status: "passed", output: "whole" });
  });

  it("reach the model of the case with its parameters, which the report lists", async () => {
    const asked = { model: "any", messages, tools, seed: 3 };
    const { trial, received } = await run(async (openai) => {
      await openai.chat.completions.create(asked);
      await openai.chat.completions.create({ ...asked, temperature: 1 });
      return "ok";
    }, ", params: { temperature: 0.5, seed: 9 }");
    expect(received.map(({ json }) => json)).toEqual([
      { ...asked, model: "exact-model", temperature: 0.5 },
      { ...asked, model: "exact-model", temperature: 1 },
    ]);
    expect(trial.gateway).toMatchObject({
      passed: 2,
      changes: [
        { path: "model", kind: "changed", requests: 2 },
        { path: "temperature", kind: "changed", requests: 1 },
      ],
    });
  });

  it("make turns and calls, whose results are in the agent's next request", async () => {
    const { trial } = await run(async (openai) => {
      const first = await openai.chat.completions.create({ model: "exact-model", messages, tools });
      const said = first.choices[0]?.message;
      const result = { role: "tool" as const, tool_call_id: "call_up", content: '{"found":true}' };
      const history = [...messages, ...(said === undefined ? [] : [said]), result];
      const last = await openai.chat.completions.create({ model: "exact-model", messages: history, tools });
      return last.choices[0]?.message.content ?? "";
    });
    expect(trial).toMatchObject({
      status: "passed",
      output: "Done",
      usage: { inputTokens: 22, outputTokens: 10 },
      toolCalls: [{ tool: "own", result: { found: true } }],
      gateway: { passed: 2, changes: [] },
    });
  });

  it("pass in the other API too, if that is the provider's", async () => {
    const { trial, received } = await run(
      async (openai) => {
        const asked = {
          model: "exact-model",
          input: "Where?",
          conversation: "conv_1",
          tools: [{ type: "web_search" as const }],
        };
        return (await openai.responses.create(asked)).output_text;
      },
      "",
      "responses",
    );
    expect(received[0]?.json).toMatchObject({ conversation: "conv_1", tools: [{ type: "web_search" }] });
    expect(trial).toMatchObject({ output: "Native", gateway: { passed: 1, translated: 0, changes: [] } });
  });

  it.each([400, 413])("get the model's own refusal with its words: %s", async (status) => {
    const { trial } = await run(async (openai) => {
      const body = { model: "exact-model", messages, tomorrow: { status } };
      const refused = await openai.chat.completions.create(body).catch((cause: unknown) => cause);
      if (!(refused instanceof OpenAI.APIError)) return "answered";
      return `${refused.status} ${String(refused.code)} ${refused.message}`;
    });
    expect(trial.output).toBe(`${status} context_length_exceeded ${status} Too long: shorten it`);
    expect(trial.status).toBe("passed");
  });

  it("are blamed if the agent fails after the model's refusal", async () => {
    const { trial } = await run(async (openai) => {
      await openai.chat.completions.create({ model: "exact-model", messages, ...tooLong });
      return "answered";
    });
    expect(trial).toMatchObject({ status: "errored", error: { code: "PROVIDER_API_ERROR", details: { status: 400 } } });
  });
});

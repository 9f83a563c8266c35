import { isDeepStrictEqual } from "node:util";
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type, type Content, type Part } from "@google/genai";
import { describe, expect, it } from "vitest";
import { afterFile } from "../../__fixtures__/clean-up.js";
import { scriptedConfig } from "../../__fixtures__/scripted-config.js";
import { sendJson, startServer, type ReceivedRequest } from "../../__fixtures__/start-server.js";
import { runGatewayAgent, type GatewayAccess } from "./__fixtures__/run-gateway-agent.js";

const key = "AIza-the-real-key-0123456789-0123456789";
const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 18 };
const head = { modelVersion: "served-model", responseId: "up", tomorrow: true };

/** A server that speaks Gemini, and some things that KindLM has never heard of. */
const upstream = startServer((request, response) => {
  const { json, path } = request;
  const { tomorrow, contents = [] } = json as { tomorrow?: { status: number; times?: number }; contents?: Content[] };
  const isDown = isDeepStrictEqual((json as { generationConfig?: unknown }).generationConfig, { seed: 503 });
  if (isDown) return sendJson(response, 503, { error: { code: 503, message: "Down" } }, { "retry-after-ms": "1" });
  const earlier = upstreamRequests().filter(({ body }) => body === request.body).length;
  if (tomorrow !== undefined && earlier <= (tomorrow.times ?? 9)) {
    const error = { code: tomorrow.status, message: "Shorten it", status: "INVALID_ARGUMENT" };
    return sendJson(response, tomorrow.status, { error }, { "retry-after-ms": "1" });
  }
  if (path.includes(":countTokens")) return sendJson(response, 200, { totalTokens: 77 });
  if (path.includes(":batchEmbedContents")) return sendJson(response, 200, { embeddings: [{ values: [1, 2] }] });
  const isDone = contents.some(({ parts }) => parts?.some(({ functionResponse }) => functionResponse));
  const answer: Part[] = isDone
    ? [{ text: "Done" }]
    : [
        { text: "hm", thought: true },
        { functionCall: { name: "own", args: { a: 1 } }, thoughtSignature: "c2ln" },
        { functionCall: { name: "own", args: { a: 2 } } },
      ];
  const chunks = answer.map((part, index) => {
    const isLast = index === answer.length - 1;
    const candidate = {
      content: { role: "model", parts: [part] },
      index: 0,
      ...(isLast ? { finishReason: "STOP" } : {}),
    };
    return { candidates: [candidate], ...(isLast ? { usageMetadata } : {}), ...head };
  });
  const headers = { "x-tomorrow": "kept", "set-cookie": "a=b" };
  if (!path.includes(":streamGenerateContent")) {
    const content = { role: "model", parts: answer };
    return sendJson(
      response,
      200,
      { candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata, ...head },
      headers,
    );
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`);
  response.end();
});
let received: readonly ReceivedRequest[] = [];
const upstreamRequests = () => received;
afterFile(async () => (await upstream).close());

const client = ({ baseUrl, apiKey }: GatewayAccess["gemini"]) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });

async function collect<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

type Agent = (genai: GoogleGenAI, access: GatewayAccess) => Promise<string>;

/** Runs an agent whose model has Google's own API. */
async function runNative(agent: Agent, { model = "", proxy = "true", tool = "lookup", more = "" } = {}) {
  const { url, requests } = await upstream;
  received = requests;
  const before = requests.length;
  const config = `version: 1
providers: { up: { type: gemini, base_url: "${url}", api_key_env: UP_KEY } }
retry: { max_attempts: 3, initial_delay: 1ms }
models:
  - { id: m, provider: up, model: exact-model${model} }
  - { id: spare, provider: scripted, script: { otherwise: { text: In its place } } }
${more}
suites:
  - name: s
    target: {{target}}
    models: [m]
    tools: [{ name: ${tool}, default: { return: { n: 1 } } }]
    tests: [{ name: t, input: "Where?", assert: [{ type: turns, min: 0 }] }]
`;
  const ran = await runGatewayAgent((_input, access) => agent(client(access.gemini), access), {
    config,
    proxy,
    env: { UP_KEY: key },
  });
  return { ...ran, received: requests.slice(before) };
}

/** Runs an agent whose model is scripted. */
function runScripted(agent: Agent, rules: string, otherwise = "{ text: hello }") {
  const suites = `  - name: s
    target: {{target}}
    tests: [{ name: t, input: "Where?", assert: [{ type: turns, min: 0 }] }]`;
  return runGatewayAgent((_input, access) => agent(client(access.gemini), access), {
    config: scriptedConfig({ suites, rules, otherwise }),
  });
}

const asked = {
  model: "exact-model",
  contents: "Where?",
  config: {
    systemInstruction: "Be kind",
    temperature: 0.3,
    topK: 3,
    thinkingConfig: { includeThoughts: true },
    safetySettings: [],
    tools: [
      {
        functionDeclarations: [
          { name: "own", parameters: { type: Type.OBJECT, properties: { a: { type: Type.NUMBER } } } },
        ],
      },
      { googleSearch: {} },
    ],
  },
};

describe("requests of Google's SDK to a model that has Google's API", () => {
  it("arrive as without KindLM, and so do the replies, event by event", async () => {
    const seen: unknown[] = [];
    const { trial, received: sent } = await runNative(async (genai, access) => {
      const { url } = await upstream;
      for (const ai of [genai, client({ baseUrl: url, apiKey: key })]) {
        const whole = await ai.models.generateContent(asked);
        const events = await collect(await ai.models.generateContentStream(asked));
        // Of each answer, but for what belongs to a connection.
        seen.push(
          JSON.parse(
            JSON.stringify([whole, ...events], (name, value: unknown) =>
              /^(?:date|connection|keep-alive|transfer-encoding|content-length|set-cookie)$/.test(name)
                ? undefined
                : value,
            ),
          ),
        );
      }
      const raw = `{ "contents" : [{"parts":[{"text":"Where?"}]}], "tomorrow_too": 1.50 }`;
      const address = `${access.url}/v1beta/models/exact-model:generateContent?key=${access.apiKey}&x=1`;
      await fetch(address, { method: "POST", body: raw });
      return "ok";
    });
    expect(trial.error).toBe(null);
    expect(seen[0]).toEqual(seen[1]);
    const [whole, stream, directWhole, directStream, raw] = sent;
    // The version that the SDK names, which is another than KindLM's.
    expect(directWhole?.path).toBe("/v1/models/exact-model:generateContent");
    for (const [through, direct] of [
      [whole, directWhole],
      [stream, directStream],
    ]) {
      const { host: _host, connection: _c, "accept-encoding": _e, ...headers } = direct?.headers ?? {};
      expect(through?.headers).toMatchObject(headers);
      expect([through?.path, through?.body]).toEqual([direct?.path, direct?.body]);
    }
    expect(raw?.body).toBe(`{ "contents" : [{"parts":[{"text":"Where?"}]}], "tomorrow_too": 1.50 }`);
    expect(raw?.path).toBe("/v1beta/models/exact-model:generateContent?x=1");
    expect(trial).toMatchObject({
      gateway: { passed: 3, translated: 0, changes: [] },
      servedBy: "served-model",
      usage: { inputTokens: 33, outputTokens: 21, reasoningTokens: 6 },
    });
    expect(trial.toolCalls.map(({ args }) => args)).toEqual([1, 2, 1, 2, 1, 2].map((a) => ({ a })));
    expect(JSON.stringify(trial)).not.toContain(key);
  });

  it("are changed where the config says so, which the report lists, and have calls without ids", async () => {
    const { trial, received: sent } = await runNative(
      async (_genai, { url, apiKey }) => {
        const post = async (path: string, body: unknown): Promise<unknown> => {
          const headers = { "x-goog-api-key": apiKey };
          const reply = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
          return reply.json();
        };
        const contents: Content[] = [{ role: "user", parts: [{ text: "Where?" }] }];
        const generationConfig = { temperature: 1, topK: 3 };
        const first = await post("/v1/models/any:streamGenerateContent", { contents, generationConfig });
        const { candidates } = (first as { candidates: { content: Content }[] }[])[0] ?? {};
        const results = [2, 1].map((n) => ({ functionResponse: { name: "own", response: { output: { n } } } }));
        contents.push(candidates?.[0]?.content ?? {}, { role: "user", parts: results });
        for (let times = 0; times < 2; times += 1) await post("/models/exact-model:generateContent", { contents });
        return "ok";
      },
      { model: ", params: { temperature: 0.5, max_tokens: 9 }" },
    );
    expect(sent.map(({ path }) => path)).toEqual(
      Array.from({ length: 3 }, () => "/v1beta/models/exact-model:generateContent"),
    );
    expect(sent.map(({ json }) => (json as { generationConfig: unknown }).generationConfig)).toEqual([
      { temperature: 1, topK: 3, maxOutputTokens: 9 },
      { temperature: 0.5, maxOutputTokens: 9 },
      { temperature: 0.5, maxOutputTokens: 9 },
    ]);
    expect(trial.gateway?.changes.map(({ path, requests }) => [path, requests])).toEqual([
      ["version", 1],
      ["model", 1],
      ["method", 1],
      ["generationConfig.maxOutputTokens", 1],
      ["generationConfig", 2],
    ]);
    expect(trial.toolCalls.map(({ args, result }) => [args, result])).toEqual([
      [{ a: 1 }, { n: 2 }],
      [{ a: 2 }, { n: 1 }],
    ]);
  });

  it("are retried by KindLM, unless the model's words are for the agent", async () => {
    const { trial, received: sent } = await runNative(async (genai) => {
      const words: unknown[] = [];
      // The rate limit comes last: what follows one waits for its turn.
      for (const tomorrow of [{ status: 503, times: 2 }, { status: 400 }, { status: 429, times: 1 }]) {
        const httpOptions = { extraBody: { tomorrow } };
        const got = await genai.models
          .generateContent({ model: "exact-model", contents: `${tomorrow.status}`, config: { httpOptions } })
          .then(
            ({ functionCalls }) => functionCalls?.length,
            (cause: unknown) => (cause instanceof ApiError ? [cause.status, JSON.parse(cause.message)] : cause),
          );
        words.push(got);
      }
      return JSON.stringify(words);
    });
    expect(JSON.parse(trial.output)).toEqual([
      2,
      [400, { error: { code: 400, message: "Shorten it", status: "INVALID_ARGUMENT" } }],
      2,
    ]);
    expect(sent).toHaveLength(3 + 1 + 2);
    expect(trial).toMatchObject({ status: "passed", attempts: 6 });
  });
});

const called = `{ text: "Let me see.", tool_calls: [{ tool: look, args: { id: 1 } }, { tool: look, args: { id: 2 } }], usage: { input_tokens: 7, output_tokens: 3 } }`;

describe("a fallback that has another API", () => {
  it("answers for Google's SDK as well", async () => {
    const { trial } = await runNative(
      async (genai) => {
        const config = { httpOptions: { extraBody: { generationConfig: { seed: 503 } } } };
        return (await genai.models.generateContent({ model: "exact-model", contents: "Where?", config })).text ?? "";
      },
      { model: ", fallback: [spare], allow_fallback: true" },
    );
    expect(trial).toMatchObject({ status: "passed", output: "In its place", gateway: { passed: 0, translated: 1 } });
  });
});

describe("system messages in the middle of a conversation", () => {
  it("join the system prompt of a model that has no other place for them, which the report lists", async () => {
    const { trial, received: sent } = await runNative(async (_genai, { baseURL, apiKey }) => {
      const messages = ["system", "user", "system"].map((role, index) => ({ role, content: `${role} ${index}` }));
      const headers = { authorization: `Bearer ${apiKey}` };
      for (const some of [messages, messages.slice(0, 2)]) {
        const body = JSON.stringify({ model: "any", messages: some });
        await fetch(`${baseURL}/chat/completions`, { method: "POST", headers, body });
      }
      return "ok";
    });
    expect(sent[0]?.json).toMatchObject({ systemInstruction: { parts: [{ text: "system 0\n\nsystem 2" }] } });
    const changes = [{ path: "messages[](system)", kind: "changed", requests: 1 }];
    expect(trial.gateway).toMatchObject({ translated: 2, changes });
  });
});

describe("recordings", () => {
  it("answer Google's SDK as its model and its embeddings did, without either", async () => {
    const {
      trial,
      received: sent,
      replay,
    } = await runNative(
      async (genai) => {
        const model = "gemini-embedding-001";
        const whole = await genai.models.generateContent(asked);
        const events = await collect(await genai.models.generateContentStream(asked));
        const { embeddings } = await genai.models.embedContent({ model, contents: "Where?" });
        const { totalTokens } = await genai.models.countTokens({ model: "any", contents: "Where?" });
        return JSON.stringify([whole, ...events, embeddings, totalTokens], (name, value: unknown) =>
          name === "sdkHttpResponse" ? undefined : value,
        );
      },
      { more: "cassette: record" },
    );
    const { requests } = await upstream;
    const before = requests.length;
    const replayed = await replay();
    expect(sent).toHaveLength(4);
    expect(sent[3]?.path).toBe("/v1/models/exact-model:countTokens");
    expect(trial.output).toMatch(/,77\]$/);
    expect(requests.length).toBe(before);
    expect(replayed.error).toBe(null);
    expect(replayed.output).toBe(trial.output);
    // That of the count, for which the agent named another model.
    const changes = [{ path: "model", kind: "changed", requests: 1 }];
    expect(replayed.gateway).toMatchObject({ passed: 3, changes, embeddings: { requests: 1 } });
  });
});

describe("with run_tools, calls of the test's tools", () => {
  it("never reach Google's SDK, and its model gets its thought signatures back", async () => {
    const { trial, received: sent } = await runNative(
      async (genai) => {
        const tools = [{ functionDeclarations: [{ name: "own" }] }];
        const signed = { role: "model", parts: [{ text: "Hi", thoughtSignature: "aGk=" }] };
        const history = [{ role: "user", parts: [{ text: "Hello" }] }, signed];
        const chat = genai.chats.create({ model: "exact-model", config: { tools }, history });
        return (await chat.sendMessage({ message: "Where?" })).text ?? "";
      },
      { proxy: "{ run_tools: true }", tool: "own" },
    );
    expect(trial).toMatchObject({ status: "passed", output: "Done", gateway: { passed: 0, translated: 2 } });
    expect(trial.toolCalls).toMatchObject([
      { args: { a: 1 }, result: { n: 1 } },
      { args: { a: 2 }, result: { n: 1 } },
    ]);
    const { contents = [] } = (sent[1]?.json ?? {}) as { contents?: Content[] };
    expect(contents.slice(1).map(({ parts }) => parts)).toMatchObject([
      [{ text: "Hi", thoughtSignature: "aGk=" }],
      [{ text: "Where?" }],
      [
        { thought: true },
        { functionCall: { name: "own" }, thoughtSignature: "c2ln" },
        { functionCall: { name: "own" } },
      ],
      [
        { functionResponse: { response: { output: { n: 1 } } } },
        { functionResponse: { response: { output: { n: 1 } } } },
      ],
    ]);
  });
});

describe("requests of Google's SDK to a model that has another API", () => {
  it("get text, parallel calls and usage, whole and in pieces, and report results and errors", async () => {
    const seen: unknown[] = [];
    const { trial } = await runScripted(
      async (genai, { url, apiKey }) => {
        const chat = genai.chats.create({ model: "any", config: { systemInstruction: "Be kind" } });
        const first = await chat.sendMessage({ message: "Where?" });
        const results = (first.functionCalls ?? []).map(({ id, name }, index) => {
          const response = index === 0 ? { output: { found: true } } : { error: "not there" };
          return { functionResponse: { name: name ?? "", response, ...(index === 0 ? { id: id ?? "" } : {}) } };
        });
        let text = "";
        for await (const chunk of await chat.sendMessageStream({ message: results })) text += chunk.text;
        const streamed = await collect(await genai.models.generateContentStream({ model: "any", contents: "again" }));
        const headers = { "x-goog-api-key": apiKey };
        const body = JSON.stringify({
          contents: [{ parts: [{ text: "list" }] }],
          system_instruction: { parts: [{ text: "A" }] },
        });
        const list = await fetch(`${url}/v1beta/models/any:streamGenerateContent`, { method: "POST", headers, body });
        const pieces = (await list.json()) as { candidates: { finishReason?: string }[] }[];
        for (const answer of [[first], streamed, pieces]) {
          const parts = answer.flatMap(({ candidates }) =>
            candidates?.flatMap((one) => ("content" in one ? one.content : {}) as Content),
          );
          const flat = parts.flatMap((one) => one?.parts ?? []);
          seen.push([
            flat.map(({ text: said, functionCall: call }) => said ?? [call?.name, call?.args, typeof call?.id]),
            answer.at(-1)?.candidates?.[0]?.finishReason,
            (answer.at(-1) as typeof first).usageMetadata,
          ]);
        }
        return text;
      },
      `[{ when: { system: Be kind, turn: 2, last_tool_result: not there }, reply: { text: Done. } }]`,
      called,
    );
    expect(trial.error).toBe(null);
    const usage = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };
    const parts = ["Let me see.", ["look", { id: 1 }, "string"], ["look", { id: 2 }, "string"]];
    expect(seen).toEqual(Array.from({ length: 3 }, () => [parts, "STOP", usage]));
    expect(trial).toMatchObject({ status: "passed", output: "Done.", gateway: { translated: 4, changes: [] } });
    expect(trial.toolCalls.slice(0, 2)).toMatchObject([
      { tool: "look", args: { id: 1 }, result: { found: true }, turn: 1 },
      { tool: "look", args: { id: 2 }, error: { message: "not there" }, turn: 1 },
    ]);
  });

  it("find the case's model in the list, and any by its name", async () => {
    const { trial } = await runScripted(async (genai, { url, apiKey }) => {
      const named: unknown[] = [];
      for await (const { name } of await genai.models.list()) named.push(name);
      named.push((await genai.models.get({ model: "any" })).name);
      // {"contents":[{"parts":[{"text":"Where?"}],"role":"user"}]}
      named.push((await genai.models.countTokens({ model: "any", contents: "Where?" })).totalTokens);
      const google = await fetch(`${url}/v1/models`, { headers: { "x-goog-api-key": apiKey } });
      const openai = await fetch(`${url}/v1/models/any`, { headers: { authorization: `Bearer ${apiKey}` } });
      return JSON.stringify([...named, Object.keys((await google.json()) as object), await openai.json()]);
    }, "[]");
    expect(JSON.parse(trial.output)).toMatchObject([
      "models/m",
      "models/any",
      15,
      ["models"],
      { id: "any", object: "model" },
    ]);
  });

  it("hear how an answer ended, and of what was lost", async () => {
    const { trial } = await runScripted(
      async (genai) => {
        const heard: unknown[] = [];
        for (const contents of ["long", "blocked", "botched"]) {
          const config = { topK: 3, toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } } };
          const { candidates = [] } = await genai.models.generateContent({ model: "any", contents, config });
          heard.push(candidates[0]?.finishReason, candidates[0]?.content?.parts?.length);
        }
        return JSON.stringify(heard);
      },
      `[{ when: { user: long }, reply: { text: a, finish_reason: length } },
        { when: { user: blocked }, reply: { text: a, finish_reason: content_filter } },
        { when: { user: botched }, reply: { tool_calls: [{ tool: x, raw_args: "{oops" }] } }]`,
    );
    expect(JSON.parse(trial.output)).toEqual(["MAX_TOKENS", 1, "SAFETY", 1, "MALFORMED_FUNCTION_CALL", 1]);
    expect(trial.gateway?.changes).toMatchObject([{ path: "generationConfig.topK", kind: "dropped", requests: 3 }]);
  });

  it("end the trial if it would be another test, whatever the agent makes of it", async () => {
    const heard: unknown[] = [];
    const { trial } = await runScripted(async (genai) => {
      const config = { tools: [{ googleSearch: {} }] };
      const refused = await genai.models
        .generateContent({ model: "any", contents: "?", config })
        .catch((cause: unknown) => cause);
      if (refused instanceof ApiError) heard.push(refused.status, JSON.parse(refused.message));
      return "All is well";
    }, "[]");
    expect(heard).toMatchObject([400, { error: { code: 400, status: "INVALID_ARGUMENT" } }]);
    const refused = [{ path: "tools[].googleSearch", kind: "refused" }];
    expect(trial).toMatchObject({ status: "errored", error: { code: "GATEWAY_REFUSED", details: { refused } } });
  });
});

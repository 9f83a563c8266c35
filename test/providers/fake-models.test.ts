import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Message } from "../../packages/core/src/transcript/message.js";
import { anthropicFake } from "../support/fake-models/anthropic.js";
import { azureFake } from "../support/fake-models/azure.js";
import type { FakeModel } from "../support/fake-models/fake-model.js";
import { geminiFake } from "../support/fake-models/gemini.js";
import { openaiFake } from "../support/fake-models/openai.js";
import { openaiResponsesFake } from "../support/fake-models/openai-responses.js";
import { startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";

const parameters = { type: "object", properties: { order_id: { type: "string" } } };
const tools = [
  { name: "lookup_order", parameters },
  { name: "cancel_order", parameters },
];
const image = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const messages: readonly Message[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "Where is this?" },
      { type: "image", source: image },
    ],
  },
  {
    role: "assistant",
    text: "",
    toolCalls: [
      { id: "call_1", tool: "lookup_order", args: { order_id: "ORD-1" } },
      { id: "call_2", tool: "cancel_order", args: {} },
    ],
  },
  { role: "tool", callId: "call_1", tool: "lookup_order", content: '{"status":"delivered"}', isError: false },
  { role: "tool", callId: "call_2", tool: "cancel_order", content: "no", isError: true },
  { role: "user", content: "Cancel it." },
];

let server: LoopbackServer;

afterEach(() => server.close());
afterAll(() => transport.close());

describe.each<[string, FakeModel]>([
  ["openai", openaiFake],
  ["openai-responses", openaiResponsesFake],
  ["azure", azureFake],
  ["anthropic", anthropicFake],
  ["gemini", geminiFake],
])("the stand-in for %s", (_name, fake) => {
  it.each([false, true])("understands a conversation, and is understood (streaming: %s)", async (stream) => {
    const said = {
      text: "I will.",
      toolCalls: [
        { tool: "cancel_order", args: { order_id: "ORD-1" } },
        { tool: "list", args: {} },
      ],
    };
    const heard: unknown[] = [];
    server = await startServer(({ path, headers, body }, response) => {
      const request = { url: path, headers, body };
      heard.push(fake.read(request), fake.isStream(request));
      const reply = fake.reply(said, fake.isStream(request));
      response.writeHead(200, reply.headers);
      response.end(reply.body);
    });
    const { type, ...provider } = fake.config(server.url);
    const adapter = adapterFor({ type: String(type), provider, env: fake.env });
    const request = requestOf({ system: "You are terse.", messages, tools, stream });
    const result = await adapter.complete(request, { signal: new AbortController().signal });
    expect(heard).toEqual([
      {
        system: "You are terse.",
        userTexts: ["Where is this?", "Cancel it."],
        toolResults: [
          { tool: "lookup_order", content: '{"status":"delivered"}' },
          { tool: "cancel_order", content: "no" },
        ],
        tools: ["lookup_order", "cancel_order"],
      },
      stream,
    ]);
    expect(result).toMatchObject({ data: said });
    const ids = result.success ? result.data.toolCalls.map((call) => call.id) : [];
    expect(new Set(ids).size).toBe(2);
  });
});

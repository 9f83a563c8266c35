import {
  ConverseCommand,
  ConverseStreamCommand,
  type ContentBlock,
  type Message as SdkMessage,
} from "@aws-sdk/client-bedrock-runtime";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { findProvider } from "../../packages/core/src/providers/registry.js";
import type { Message } from "../../packages/core/src/transcript/message.js";
import { bedrockEvents, bedrockFake, bedrockReply, eventFrame } from "../support/fake-models/bedrock.js";
import { sendJson } from "../../packages/core/src/__fixtures__/start-server.js";
import { partsOf, signatureExpected } from "../support/verify-aws-signature.js";
import { requestOf, transport } from "./adapter-under-test.js";
import { request, sdkInput } from "./bedrock-conversation.js";
import {
  answer,
  arn,
  ask,
  bothRequests,
  closeBedrock,
  collect,
  credentials,
  keyVariables,
  apiKey,
  profile,
  sdk,
  serve,
  simple,
  writeEvents,
} from "./bedrock-under-test.js";

afterEach(closeBedrock);
afterAll(() => transport.close());

describe("the request", () => {
  it.each([profile, arn, "amazon.nova-lite-v1:0", "odd (id)*!'"])("is what the SDK sends to %s", async (model) => {
    const { url, ...loopback } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    await sdk(url).send(new ConverseCommand({ ...sdkInput, modelId: model }));
    await ask(url, request, { model });
    const { ofSdk, ofAdapter } = bothRequests({ url, ...loopback });
    expect(ofAdapter.json).toEqual(ofSdk.json);
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    for (const name of ["authorization", "content-type"]) expect(ofAdapter.headers[name]).toBe(ofSdk.headers[name]);
    expect(ofAdapter.headers.authorization).toBe(`Bearer ${apiKey}`);
  });

  it("is what the SDK sends for a stream", async () => {
    const frames = bedrockEvents(answer).map(eventFrame);
    const loopback = await serve((_request, response) => {
      writeEvents(response, frames);
      response.end();
    });
    await collect(await sdk(loopback.url).send(new ConverseStreamCommand(sdkInput)));
    await ask(loopback.url, { ...request, stream: true });
    const { ofSdk, ofAdapter } = bothRequests(loopback);
    expect(ofAdapter.json).toEqual(ofSdk.json);
    expect(ofAdapter).toMatchObject({ method: ofSdk.method, path: ofSdk.path });
    expect(ofAdapter.path).toBe("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
    // The SDK says nothing of what it takes; without a word the adapter would say that it takes JSON.
    expect(ofSdk.headers.accept).toBe(undefined);
    expect(ofAdapter.headers.accept).toBe("application/vnd.amazon.eventstream");
  });

  it.each([profile, arn, "odd (id)*!'"])("is signed as the SDK signs it for %s", async (model) => {
    const loopback = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    await sdk(loopback.url, "signed").send(new ConverseCommand({ ...sdkInput, modelId: model }));
    const result = await ask(loopback.url, request, { model, env: keyVariables });
    expect(result.success).toBe(true);
    const { ofSdk, ofAdapter } = bothRequests(loopback);
    expect(ofAdapter.json).toEqual(ofSdk.json);
    for (const received of [ofSdk, ofAdapter]) {
      const { credential, signature } = partsOf(received);
      expect(signature).toBe(signatureExpected(received, credentials.secretAccessKey));
      expect(credential).toMatch(/^AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request$/);
      expect(received.headers["x-amz-security-token"]).toBe(credentials.sessionToken);
    }
    expect(ofAdapter.path).toBe(ofSdk.path);
    // The rest of what the SDK signs tells AWS about the SDK itself.
    expect(partsOf(ofAdapter).signedHeaders).toBe(
      "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
    );
  });

  it("is signed with further headers, behind a path, and for streams", async () => {
    const loopback = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    const provider = { base_url: `${loopback.url}/gateway/bedrock`, headers: { "X-Team": "  qa   team " } };
    await ask(loopback.url, { ...request, stream: true }, { env: keyVariables, provider });
    const [received] = loopback.requests;
    if (received === undefined) throw new Error("A request was expected");
    expect(received.path).toMatch(/^\/gateway\/bedrock\/model\/us\.anthropic\..*%3A0\/converse-stream$/);
    expect(partsOf(received).signedHeaders).toContain("x-team");
    const collapsed = { ...received, headers: { ...received.headers, "x-team": "qa team" } };
    expect(partsOf(received).signature).toBe(signatureExpected(collapsed, credentials.secretAccessKey));
  });

  it.each(["eu-west-1", "us-gov-west-1", "cn-north-1", "eusc-de-east-1"])(
    "goes where the SDK sends it in %s",
    (region) => {
      const { endpointProvider } = sdk("http://127.0.0.1").config;
      const settings = { id: "m", providerName: "bedrock", model: "m", provider: { region }, own: {}, documents: {} };
      const { href } = endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false }).url;
      expect(`${findProvider("bedrock")?.inspect(settings, {})?.baseUrl}/`).toBe(href);
    },
  );

  it("is not made for what cannot be sent", async () => {
    const { url, requests } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    const image = { type: "image", source: { kind: "url", url: "https://example.com/label.png" } } as const;
    const refused = await ask(url, requestOf({ messages: [{ role: "user", content: [image] }] }));
    expect(refused).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message: expect.stringContaining("it takes no image by its address") as string,
        details: { provider: "Bedrock", model: profile, retryable: false },
      },
    });
    expect(requests).toHaveLength(0);
  });
});

describe("the reply", () => {
  const headers = { "x-amzn-requestid": "req_1" };

  it("is read as the SDK reads it", async () => {
    const body = bedrockReply(answer);
    const { url } = await serve((_request, response) => sendJson(response, 200, body, headers));
    const ofSdk = await sdk(url).send(new ConverseCommand(simple));
    const result = await ask(url, requestOf());
    const read = result.success ? result.data : null;
    const content = ofSdk.output?.message?.content ?? [];
    expect(read?.text).toBe(content.map(({ text = "" }) => text).join(""));
    expect(read?.toolCalls).toEqual(callsOf(content));
    expect(read?.finishReason).toEqual({ unified: "tool_calls", raw: ofSdk.stopReason });
    expect(read?.requestId).toBe(ofSdk.$metadata.requestId);
    expect(read?.modelServed).toBe(null);
    const { inputTokens = 0, outputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens = 0 } = ofSdk.usage ?? {};
    expect(read?.usage).toEqual({
      inputTokens: inputTokens + cacheReadInputTokens + cacheWriteInputTokens,
      outputTokens,
      cachedInputTokens: cacheReadInputTokens,
    });
  });

  it.each([false, true])("goes back as the SDK sends it back, streamed: %s", async (stream) => {
    const frames = bedrockEvents(answer).map(eventFrame);
    const loopback = await serve(({ path }, response) => {
      if (!path.endsWith("-stream")) return sendJson(response, 200, bedrockReply(answer));
      writeEvents(response, frames);
      response.end();
    });
    const result = await ask(loopback.url, requestOf({ stream }));
    if (!result.success) throw new Error(result.error.message);
    const { text, toolCalls, providerData } = result.data;
    const asked: Message = { role: "user", content: "Hi" };
    const said: Message = { role: "assistant", text, toolCalls, providerData };
    await ask(loopback.url, requestOf({ messages: [asked, said, asked] }));
    const reasoningText = { text: "They want to know where the order is.", signature: "EqoBCkgIARABGAIiQL" };
    const calls = toolCalls.map(({ id, tool, args }) => ({ toolUse: { toolUseId: id, name: tool, input: args } }));
    const messages: SdkMessage[] = [
      { role: "user", content: [{ text: "Hi" }] },
      { role: "assistant", content: [{ reasoningContent: { reasoningText } }, { text }, ...(calls as ContentBlock[])] },
      { role: "user", content: [{ text: "Hi" }] },
    ];
    await sdk(loopback.url).send(new ConverseCommand({ modelId: profile, messages }));
    const [, ofAdapter, ofSdk] = loopback.requests;
    expect(ofAdapter?.json).toEqual(ofSdk?.json);
  });
});

function callsOf(content: readonly ContentBlock[]): readonly unknown[] {
  return content.flatMap(({ toolUse }) =>
    toolUse === undefined ? [] : [{ id: toolUse.toolUseId, tool: toolUse.name, args: toolUse.input }],
  );
}

it("is understood by the stand-in for its models", async () => {
  const { url, requests } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
  await ask(url, request);
  const [received] = requests;
  if (received === undefined) throw new Error("A request was expected");
  const read = { url: received.path, headers: received.headers, body: received.body };
  expect(bedrockFake.isStream(read)).toBe(false);
  expect(bedrockFake.read(read)).toEqual({
    system: "You are terse.",
    userTexts: ["Where are these orders?", "Never mind the second.", "Cancel it."],
    toolResults: [
      { tool: "lookup_order", content: '{"status":"delivered"}' },
      { tool: "lookup_order", content: '{"ok":false,"error":"no such order"}' },
    ],
    tools: ["lookup_order", "cancel_order"],
  });
});

import { ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { bedrockEvents, bedrockReply, eventFrame, exceptionFrame } from "../support/fake-models/bedrock.js";
import { sendJson } from "../../packages/core/src/__fixtures__/start-server.js";
import { requestOf, transport } from "./adapter-under-test.js";
import { answer, ask, closeBedrock, collect, sdk, serve, simple, writeEvents } from "./bedrock-under-test.js";

afterEach(closeBedrock);
afterAll(() => transport.close());

describe("a stream", () => {
  const events = bedrockEvents(answer);
  const frames = events.map(eventFrame);
  const firstText = events.findIndex(([, data]) => JSON.stringify(data).includes('"delta":{"text"'));
  const half = answer.text.slice(0, Math.ceil(answer.text.length / 2));

  it("gives what the SDK reads of it", async () => {
    const { url } = await serve((_request, response) => {
      writeEvents(response, frames);
      response.end();
    });
    const ofSdk = await collect(await sdk(url).send(new ConverseStreamCommand(simple)));
    const result = await ask(url, requestOf({ stream: true }));
    const read = result.success ? result.data : null;
    const deltas = ofSdk.flatMap(({ contentBlockDelta }) => contentBlockDelta ?? []);
    expect(read?.text).toBe(deltas.map(({ delta }) => delta?.text ?? "").join(""));
    const starts = ofSdk.flatMap(({ contentBlockStart }) => contentBlockStart ?? []);
    const calls = starts.map(({ start, contentBlockIndex }) => {
      const pieces = deltas.filter((delta) => delta.contentBlockIndex === contentBlockIndex);
      const input = pieces.map(({ delta }) => delta?.toolUse?.input ?? "").join("");
      return { id: start?.toolUse?.toolUseId, tool: start?.toolUse?.name, args: JSON.parse(input) as unknown };
    });
    expect(calls).toHaveLength(2);
    expect(read?.toolCalls).toEqual(calls);
    expect(read?.finishReason.raw).toBe(ofSdk.flatMap(({ messageStop }) => messageStop?.stopReason ?? [])[0]);
    const usage = ofSdk.flatMap(({ metadata }) => metadata?.usage ?? [])[0];
    expect(read?.usage).toMatchObject({
      outputTokens: usage?.outputTokens,
      cachedInputTokens: usage?.cacheReadInputTokens,
    });
    expect(read).toMatchObject({ requestId: "req_s", timeToFirstTokenMs: expect.any(Number) as number });
  });

  it("gives what the same reply gives without streaming", async () => {
    const plain = bedrockReply({ ...answer, toolCalls: [] });
    const { url } = await serve(({ path }, response) => {
      if (!path.endsWith("-stream")) return sendJson(response, 200, plain, { "x-amzn-requestid": "req_s" });
      writeEvents(response, bedrockEvents({ ...answer, toolCalls: [] }).map(eventFrame));
      response.end();
    });
    const whole = await ask(url, requestOf());
    const streamed = await ask(url, requestOf({ stream: true }));
    expect(streamed).toEqual({
      success: true,
      data: {
        ...(whole.success ? whole.data : {}),
        latencyMs: expect.any(Number),
        timeToFirstTokenMs: expect.any(Number),
      },
    });
  });

  it("that is no stream is read as the reply it is", async () => {
    const { url } = await serve((_request, response) => sendJson(response, 200, bedrockReply(answer)));
    expect(await ask(url, requestOf({ stream: true }))).toMatchObject({ success: true, data: { text: answer.text } });
  });

  it.each([
    ["before its first event", 0, { retryable: true }],
    ["after its first event", 1, { retryable: false, partialText: "" }],
    ["inside of the text", firstText + 1, { retryable: false, partialText: half }],
    ["right before its end", frames.length - 2, { retryable: false, partialText: answer.text }],
  ])("that is cut %s is a network error", async (_name, count, details) => {
    const partial = [...frames.slice(0, count), (frames[count] ?? Buffer.alloc(0)).subarray(0, 20)];
    const { url } = await serve((_request, response) => {
      writeEvents(response, partial);
      response.write("", () => setImmediate(() => response.destroy()));
    });
    const result = await ask(url, requestOf({ stream: true }));
    expect(result).toMatchObject({ error: { code: "PROVIDER_NETWORK_ERROR", details } });
    expect(!result.success && "partialText" in (result.error.details ?? {})).toBe("partialText" in details);
  });

  it("that ends properly, but too early, is a network error too", async () => {
    const { url } = await serve((_request, response) => {
      writeEvents(response, frames.slice(0, firstText + 1));
      response.end();
    });
    expect(await ask(url, requestOf({ stream: true }))).toMatchObject({
      error: { code: "PROVIDER_NETWORK_ERROR", details: { retryable: false, partialText: half } },
    });
  });

  it("that is damaged cannot be used, as the SDK cannot use it", async () => {
    const damaged = frames.map((frame) => Buffer.from(frame));
    damaged[firstText]?.writeUInt8(0, damaged[firstText].length - 6);
    const { url } = await serve((_request, response) => {
      writeEvents(response, damaged);
      response.end();
    });
    await expect(sdk(url).send(new ConverseStreamCommand(simple)).then(collect)).rejects.toThrow(/checksum/i);
    expect(await ask(url, requestOf({ stream: true }))).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message: "Bedrock returned 200 with a stream that was damaged on its way",
        details: { retryable: false },
      },
    });
  });

  it.each([
    ["throttlingException", "PROVIDER_RATE_LIMIT", 429, true],
    ["modelStreamErrorException", "PROVIDER_API_ERROR", 424, true],
    ["serviceUnavailableException", "PROVIDER_API_ERROR", 503, true],
    ["internalServerException", "PROVIDER_API_ERROR", 500, undefined],
    ["validationException", "PROVIDER_API_ERROR", 400, undefined],
  ])("with %s is %s", async (name, code, status, retryable) => {
    const failing = exceptionFrame(name, "Sorry.");
    for (const count of [0, firstText + 1]) {
      const { url } = await serve((_request, response) => {
        writeEvents(response, [...frames.slice(0, count), failing]);
        response.end();
      });
      const ofSdk = await sdk(url)
        .send(new ConverseStreamCommand(simple))
        .then(collect)
        .catch((cause: unknown) => cause);
      expect(ofSdk).toMatchObject({ name: name.charAt(0).toUpperCase() + name.slice(1), message: "Sorry." });
      const result = await ask(url, requestOf({ stream: true }));
      expect(result).toMatchObject({ error: { code, details: { status, requestId: "req_s" } } });
      const details = (result.success ? {} : result.error.details) as { retryable?: boolean; partialText?: string };
      expect(details.retryable).toBe(count === 0 ? retryable : false);
      expect(details.partialText).toBe(count === 0 ? undefined : half);
      await closeBedrock();
    }
  });
});

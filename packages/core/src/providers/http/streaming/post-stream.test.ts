import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../__fixtures__/manual-clock.js";
import type { StreamAssembler, StreamEvent } from "../../wire-format.js";
import type { JsonPost } from "../post-json.js";
import type { HttpFailure, HttpReply, HttpRequest, HttpTransport } from "../transport.js";
import { postStream } from "./post-stream.js";
import { streamedError } from "./streamed-error.js";

const identity = { name: "OpenAI", model: "m", apiKeyEnv: "OPENAI_API_KEY" };
const key = "canary-0123456789";
const eventStream = { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_1" };

/** `{ text }` is a piece, `{ start }` surrounds the answer, `{ ping }` is nothing, `{ end }` the last event. */
function createAssembler(): StreamAssembler {
  let text = "";
  let isDone = false;
  return {
    get text() {
      return text;
    },
    add({ data }: StreamEvent) {
      if (data["error"] !== undefined) return streamedError(data);
      if ("ping" in data) return { kind: "none" };
      if ("start" in data) return { kind: "meta" };
      if ("end" in data) {
        isDone = true;
        return { kind: "end" };
      }
      text += String(data["text"]);
      return { kind: "content" };
    },
    finish: () => (isDone ? { text } : null),
  };
}

interface Served {
  status?: number;
  headers?: Record<string, string>;
  body: string;
  /** Ends the exchange instead of a proper end of the body. */
  broken?: HttpFailure;
  framing?: "sse" | "ndjson";
  isAnswer?: JsonPost["isAnswer"];
}

/** Each line of the body arrives 10 ms after the one before. */
async function post({ status = 200, headers = eventStream, body, broken, framing = "sse", isAnswer }: Served) {
  const lines = body.split(/(?<=\n)/);
  let taken = 0;
  const send = (request: HttpRequest): ReturnType<HttpTransport["send"]> => {
    const reply: HttpReply = { status, headers, body: status < 300 ? "" : body, latencyMs: lines.length * 10 + 5 };
    for (const line of status < 300 ? lines : []) {
      taken += 1;
      const isOver = request.sink?.(Buffer.from(line), taken * 10, { status, headers }) ?? false;
      if (isOver) return Promise.resolve({ success: true, data: { ...reply, latencyMs: taken * 10 } });
    }
    if (broken !== undefined) return Promise.resolve({ success: false, error: broken });
    return Promise.resolve({ success: true, data: reply });
  };
  const ports = { http: { send, close: () => Promise.resolve() }, clock: createManualClock() };
  const sent = { url: "http://127.0.0.1", headers: { authorization: `Bearer ${key}` }, body: {}, isAnswer };
  const signal = new AbortController().signal;
  const result = await postStream(identity, ports, sent, { framing, createAssembler }, { signal });
  return { result, taken, lines: lines.length, error: result.success ? null : result.error };
}

function events(...data: unknown[]): string {
  return data.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

const reset: HttpFailure = { kind: "network", systemCode: "ECONNRESET", message: "reset", cause: new Error("reset") };
const idle: HttpFailure = { kind: "timeout", which: "idle", ms: 9, cause: new Error("idle") };
const aborted: HttpFailure = { kind: "aborted", cause: new Error("stop") };

describe("a stream that comes to its end", () => {
  it("gives the assembled body, and the time to its first piece, not to what comes before it", async () => {
    const body = `: comment\n${events({ ping: 1 }, { start: 1 }, { text: "a" }, { text: "b" }, { end: 1 })}`;
    const { result } = await post({ body });
    expect(result).toMatchObject({
      success: true,
      data: { json: { text: "ab" }, timeToFirstTokenMs: 70, reply: { latencyMs: 110 } },
    });
  });

  it("has no such time when it says nothing", async () => {
    expect(await post({ body: events({ start: 1 }, { end: 1 }) })).toMatchObject({
      result: { data: { json: { text: "" }, timeToFirstTokenMs: null } },
    });
  });

  it("is not read any further", async () => {
    const { result, taken, lines } = await post({
      body: events({ text: "a" }, { end: 1 }, { text: "b" }, { error: 1 }),
    });
    expect(result).toMatchObject({ data: { json: { text: "a" } } });
    expect({ taken, lines }).toEqual({ taken: 4, lines: 8 });
  });

  it("may lack the last empty line", async () => {
    expect(await post({ body: events({ text: "a" }, { end: 1 }).trimEnd() })).toMatchObject({
      result: { data: { json: { text: "a" } } },
    });
  });

  it("may be a stream under any name, and in another framing", async () => {
    const headers = { "content-type": "text/plain" };
    expect(await post({ headers, body: events({ text: "a" }, { end: 1 }) })).toMatchObject({
      result: { success: true },
    });
    expect(await post({ headers: {}, framing: "ndjson", body: '{"text":"a"}\n{"end":1}' })).toMatchObject({
      result: { data: { json: { text: "a" } } },
    });
  });

  it("has an error for a body that its translator cannot use, which must not be asked for again", async () => {
    const { result } = await post({ body: events({ text: "a" }, { end: 1 }) });
    expect(result.success && result.data.unusable("no answer")).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message: "OpenAI returned 200 with no answer",
        details: { status: 200, requestId: "req_1", retryable: false, partialText: "a" },
      },
    });
  });
});

describe("a reply that is no stream", () => {
  it.each([
    ["as JSON", "application/json", '{\n"text": "a"\n}'],
    ["as JSON of another name", "text/html", '{"text":"a"}'],
    ["as JSON under the name of a stream", "text/event-stream", '{"text":"a"}'],
    ["with a byte order mark", "application/json", '\ufeff{"text":"a"}'],
  ])("is read as without streaming: %s", async (_name, type, body) => {
    const { result } = await post({ headers: { "content-type": type }, body });
    expect(result).toMatchObject({
      data: { json: { text: "a" }, timeToFirstTokenMs: null, reply: { body: body.replace("\ufeff", "") } },
    });
  });

  it("is read as without streaming although its first line is no event", async () => {
    const { result } = await post({ framing: "ndjson", body: '{\n  "text": "a"\n}\n' });
    expect(result).toMatchObject({ data: { json: { text: "a" }, timeToFirstTokenMs: null } });
  });

  it.each([
    ["text/html", "<html>\n<body>\n\nHi", "OpenAI returned 200 with a body that is not JSON: <html>\n<body>\n\nHi"],
    ["application/json", '{"text":', 'OpenAI returned 200 with a body that is not JSON: {"text":'],
    ["application/json", "", "OpenAI returned 200 with an empty body"],
    ["application/json", "[1]", "OpenAI returned 200 with a body that is not a JSON object: [1]"],
  ])("but %s %j is an error that shows it", async (type, body, message) => {
    const { error } = await post({ headers: { "content-type": type }, body });
    expect(error).toMatchObject({ code: "PROVIDER_API_ERROR", message, details: { status: 200 } });
    expect(error?.details).not.toHaveProperty("partialText");
  });
});

describe("a stream that breaks", () => {
  const cut = "OpenAI broke off its answer: the stream ended before the answer did";
  const begun = { retryable: false };

  it.each<[string, string, object]>([
    ["nothing", "", { retryable: true }],
    ["comments and pings", `: x\n\n${events({ ping: 1 })}`, { retryable: true }],
    ["half an event", 'data: {"te', { retryable: true }],
    ["a start", events({ start: 1 }), { ...begun, partialText: "" }],
    ["one piece", events({ text: "a€" }), { ...begun, partialText: "a€" }],
    ["pieces and half of one", `${events({ text: "a" }, { text: "b" })}data: {"te`, { ...begun, partialText: "ab" }],
  ])("after %s", async (_name, body, details) => {
    const { error } = await post({ body });
    expect(error).toMatchObject({ code: "PROVIDER_NETWORK_ERROR", message: cut });
    expect(error?.details).toEqual({
      provider: "OpenAI",
      model: "m",
      systemCode: "ECONNRESET",
      brokeOff: true,
      requestId: "req_1",
      ...details,
    });
    const failed = await post({ body, broken: reset });
    expect(failed.error).toMatchObject({ code: "PROVIDER_NETWORK_ERROR", details });
    expect(Object.keys(failed.error?.details ?? {}).includes("partialText")).toBe("partialText" in details);
  });

  it.each([
    ["a deadline", idle, "PROVIDER_TIMEOUT"],
    ["an abort", aborted, "ENGINE_ABORTED"],
  ])("by %s keeps its code and what came before", async (_name, broken, code) => {
    const before = await post({ body: ": x\n", broken });
    expect(before.error?.code).toBe(code);
    expect(before.error?.details ?? {}).not.toHaveProperty("partialText");
    const after = await post({ body: events({ text: "a" }), broken });
    expect(after.error).toMatchObject({ code, details: { ...begun, partialText: "a" } });
  });

  it("by garbage after good events is not read any further", async () => {
    const { error, taken } = await post({ body: `${events({ text: "a" })}data: oops\n\n${events({ text: "b" })}` });
    expect(error).toMatchObject({
      code: "PROVIDER_API_ERROR",
      message: "OpenAI returned 200 with a stream with an event that is not a JSON object",
      details: { ...begun, partialText: "a" },
    });
    expect(taken).toBe(4);
  });

  it("by garbage alone shows it", async () => {
    const { error } = await post({ framing: "ndjson", headers: {}, body: "<html>\n<body>\n" });
    expect(error?.message).toBe(
      "OpenAI returned 200 with a stream with an event that is not a JSON object: <html>\n<body>\n",
    );
    expect(error?.details).not.toHaveProperty("retryable");
  });
});

describe("an error inside a stream", () => {
  const overloaded = { error: { type: "overloaded_error", message: `Overloaded ${key}` } };

  it("is classified like a reply of its status, without the key", async () => {
    const { error } = await post({ body: events(overloaded, { text: "a" }) });
    expect(error).toMatchObject({
      code: "PROVIDER_API_ERROR",
      details: { status: 529, retryable: true, requestId: "req_1" },
    });
    expect(error?.message).toMatch(/^OpenAI returned 529: .*Overloaded \[redacted\]/);
    expect(error?.details).not.toHaveProperty("partialText");
    expect(JSON.stringify(error)).not.toContain(key);
  });

  it("keeps what came before it, and is final", async () => {
    const limited = { error: { type: "rate_limit_error", message: "…" } };
    expect((await post({ body: events({ text: "a" }, limited) })).error).toMatchObject({
      code: "PROVIDER_RATE_LIMIT",
      details: { status: 429, retryable: false, partialText: "a" },
    });
  });

  it("reports an exhausted quota", async () => {
    const { error } = await post({ body: events({ error: { code: "insufficient_quota", message: "empty" } }) });
    expect(error).toMatchObject({ code: "PROVIDER_API_ERROR", details: { quota: true, retryable: false } });
  });
});

describe("an error status", () => {
  it("is read from JSON as ever, with the hint of its headers", async () => {
    const headers = { "content-type": "application/json", "retry-after": "2" };
    expect(await post({ status: 429, headers, body: '{"error":{"message":"slow down"}}' })).toMatchObject({
      error: { code: "PROVIDER_RATE_LIMIT", details: { retryAfterMs: 2_000 } },
    });
  });

  it.each([["event: error\ndata: "], ["data: "], ["error: "]])("is read from an event: %j", async (frame) => {
    const body = `${frame}{"error":{"message":"no credit","code":"insufficient_quota"}}\n\n`;
    expect(await post({ status: 429, body })).toMatchObject({
      error: { message: "OpenAI quota is exhausted: no credit", details: { status: 429, quota: true } },
    });
  });

  it("may be an answer all the same", async () => {
    const isAnswer = (code: number): boolean => code === 400;
    const headers = { "content-type": "application/json" };
    expect(await post({ status: 400, headers, body: '{"text":"no"}', isAnswer })).toMatchObject({
      result: { data: { json: { text: "no" }, timeToFirstTokenMs: null } },
    });
    expect(await post({ status: 401, headers, body: "{}", isAnswer })).toMatchObject({
      error: { code: "PROVIDER_AUTH_ERROR" },
    });
  });

  it("that calls its page a stream shows the page", async () => {
    expect((await post({ status: 502, body: "Bad gateway" })).error?.message).toBe("OpenAI returned 502: Bad gateway");
  });
});

import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { ExchangeContext, HttpFailure, HttpReply } from "../providers/http/transport.js";
import { retryHintMs } from "../providers/http/retry-hints.js";
import { createRedactor } from "../redaction/redactor.js";
import { failure, success } from "../result.js";
import type { ExchangeLine } from "./cassette-lines.js";
import { playExchange } from "./taped-transport.js";
import { recordExchange, type Answer } from "./record-exchange.js";
import type { TimedChunk } from "./stream-pieces.js";

const context: ExchangeContext = { asked: null, caseId: "s/t@m", trial: 2, turn: 3, attempt: 1 };
const { redact } = createRedactor(["the-secret-value"]);
const nowMs = Date.parse("2026-01-02T03:04:05Z");
const signal = new AbortController().signal;

function record(sent: Answer["sent"], chunks: readonly TimedChunk[] | null = null): ExchangeLine | null {
  const line = recordExchange("k", context, { sent, chunks, elapsedMs: 12.34567, nowMs }, redact);
  return line === null ? null : (JSON.parse(JSON.stringify(line)) as ExchangeLine);
}

function replyOf(change: Partial<HttpReply>): Answer["sent"] {
  return success({ status: 200, headers: { "content-type": "application/json" }, body: "{}", latencyMs: 7, ...change });
}

describe("an exchange", () => {
  it.each([
    ["JSON", '{"z":1,"a":[2]}', { body: { z: 1, a: [2] } }],
    ["JSON with blanks", '{ "a": 1 }\n', { text: '{ "a": 1 }\n' }],
    ["numbers that JSON loses", '{"a":1.0}', { text: '{"a":1.0}' }],
    ["text", "<html>", { text: "<html>" }],
    ["nothing", "", { text: "" }],
  ])("with %s replays to the letter", async (_name, body, kept) => {
    const line = record(replyOf({ body }));
    expect(line).toMatchObject({
      exchange: "k",
      case: "s/t@m",
      trial: 2,
      turn: 3,
      attempt: 1,
      status: 200,
      ms: 7,
      ...kept,
    });
    expect(line).not.toHaveProperty("passing");
    const played = line === null ? null : await playExchange(line, {}, context, null, signal);
    expect(played).toEqual(
      success({ status: 200, headers: { "content-type": "application/json" }, body, latencyMs: 7 }),
    );
  });

  it("keeps of the headers what is read of them, and turns dates into times", () => {
    const headers = {
      "content-type": "text/plain",
      date: "now",
      "set-cookie": "the-secret-value",
      "x-request-id": "req_1",
      "x-should-retry": "true",
      "retry-after": "Fri, 02 Jan 2026 03:04:35 GMT",
      "x-ratelimit-reset-requests": "5s",
    };
    const line = record(replyOf({ status: 429, headers, body: "slow" }));
    expect(line?.headers).toEqual({
      "content-type": "text/plain",
      "retry-after-ms": "30000",
      "x-request-id": "req_1",
      "x-should-retry": "true",
    });
    expect(retryHintMs(line?.headers ?? {}, "slow", nowMs + 1e9)).toBe(30_000);
    expect(record(replyOf({ headers }))?.headers).toEqual({ "content-type": "text/plain" });
  });

  it.each([
    [400, false],
    [404, false],
    [401, true],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])("with status %i may pass: %s", (status, passing) => {
    expect(record(replyOf({ status }))?.passing ?? false).toBe(passing);
  });

  it.each<HttpFailure>([
    { kind: "timeout", which: "idle", ms: 50, cause: new Error("The idle deadline of 50 ms passed") },
    { kind: "network", systemCode: "ECONNRESET", message: "reset", cause: new Error("reset") },
    {
      kind: "unreadable",
      status: 200,
      headers: { "content-type": "x" },
      message: "too large",
      cause: new Error("too large"),
    },
    { kind: "unsendable", message: "a line feed", cause: new Error("a line feed") },
  ])("that failed ($kind) fails again", async (error) => {
    const line = record(failure(error));
    expect(line).toMatchObject({ ms: 12.346 });
    expect(line === null ? null : await playExchange(line, {}, context, null, signal)).toEqual(failure(error));
  });

  it("that was interrupted is none", () => {
    expect(record(failure({ kind: "aborted", cause: new Error("stop") }))).toBeNull();
  });

  it("holds no secret, in body and failure", () => {
    expect(JSON.stringify(record(replyOf({ body: '{"a":"the-secret-value"}' })))).not.toContain("secret-value");
    const refused: HttpFailure = {
      kind: "network",
      systemCode: null,
      message: "to the-secret-value",
      cause: new Error(),
    };
    expect(JSON.stringify(record(failure(refused)))).not.toContain("secret-value");
  });
});

describe("a stream", () => {
  const chunks: TimedChunk[] = [
    [5, Buffer.from("data: 1\n\n")],
    [9, Buffer.from("data: 2\n\ndata: 3\n\n")],
  ];
  const line = record(replyOf({ body: "", latencyMs: 10 }), chunks);

  it("comes again in pieces, each with its time, until nobody wants more", async () => {
    const heard: [string, number][] = [];
    const sink = (chunk: Uint8Array, ms: number): boolean => {
      heard.push([Buffer.from(chunk).toString(), ms]);
      return heard.length === 2;
    };
    const played = line === null ? null : await playExchange(line, { sink }, context, null, signal);
    expect(played).toMatchObject({ success: true, data: { body: "", latencyMs: 10 } });
    expect(heard).toEqual([
      ["data: 1\n\n", 5],
      ["data: 2\n\n", 9],
    ]);
  });

  it("takes its time where that is wanted, and ends when the trial does", async () => {
    const clock = createManualClock({ jump: true });
    if (line !== null) await playExchange(line, { sink: () => false }, context, clock, signal);
    expect(clock.sleeps).toEqual([5, 4, 0, 1]);
    const stopped = AbortSignal.abort(new Error("stop"));
    const played = line === null ? null : await playExchange(line, { sink: () => false }, context, clock, stopped);
    expect(played).toEqual(failure({ kind: "aborted", cause: new Error("stop") }));
  });

  it("that was cut keeps what had come before", async () => {
    const cut = record(failure({ kind: "network", systemCode: null, message: "cut", cause: new Error("cut") }), chunks);
    const heard: string[] = [];
    const sink = (chunk: Uint8Array): boolean => {
      heard.push(Buffer.from(chunk).toString());
      return false;
    };
    expect(cut === null ? null : await playExchange(cut, { sink }, context, null, signal)).toMatchObject({
      success: false,
      error: { kind: "network" },
    });
    expect(heard).toHaveLength(3);
  });
});

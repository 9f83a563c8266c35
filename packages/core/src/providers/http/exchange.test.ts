import { gzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import { createAbortWatch } from "./abort-watch.js";
import { createAnswerTurns } from "./answer-turns.js";
import { Exchange } from "./exchange.js";
import type { BodySink } from "./transport.js";

const timeouts = { connectMs: 100, headersMs: 100, idleMs: 50, requestMs: 500 };
const mebibyte = Buffer.alloc(1_048_576, 32);

/** An exchange whose other side is played by hand. */
function open(sink?: BodySink) {
  const clock = createManualClock();
  const caller = new AbortController();
  const aborts: string[] = [];
  const controller = { abort: (error: Error) => void aborts.push(error.message) };
  // An exchange asks its controller for nothing else
  const asController = controller as unknown as Dispatcher.DispatchController;
  // It asks the dispatcher for nothing but this
  const dispatcher = { dispatch: () => true } as unknown as Dispatcher;
  const released: boolean[] = [];
  const connection = { dispatcher, release: (isSound: boolean) => void released.push(isSound) };
  const world = { clock, aborts: createAbortWatch(), turns: createAnswerTurns(clock) };
  const exchange = new Exchange(world, sink === undefined ? { timeouts } : { timeouts, sink }, caller.signal);
  const outcome = exchange.run(connection, { path: "/", method: "POST" });
  exchange.onRequestStart(asController);
  return {
    clock,
    caller,
    aborts,
    released,
    outcome,
    start: (status = 200, headers = {}) => exchange.onResponseStart(asController, status, headers),
    data: (chunk: Buffer | string) => {
      exchange.onResponseData(asController, typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    },
    end: () => exchange.onResponseEnd(),
    fail: (error: Error) => exchange.onResponseError(asController, error),
  };
}

/** Takes pieces until one is `end`, and keeps what it took with its time. */
function keepingSink() {
  const taken: [string, number][] = [];
  const sink: BodySink = (chunk, elapsedMs) => {
    taken.push([chunk.toString(), elapsedMs]);
    return chunk.toString() === "end";
  };
  return { taken, sink };
}

describe("a sink", () => {
  it("gets each piece of a good reply as it comes, with the time since the request was sent", async () => {
    const { taken, sink } = keepingSink();
    const exchange = open(sink);
    exchange.clock.advance(20);
    exchange.start();
    exchange.clock.advance(10);
    exchange.data("a");
    exchange.clock.advance(40);
    exchange.data("b");
    expect(taken).toEqual([
      ["a", 30],
      ["b", 70],
    ]);
    exchange.clock.advance(5);
    exchange.end();
    expect(await exchange.outcome).toMatchObject({ data: { status: 200, body: "", latencyMs: 75 } });
  });

  it.each([301, 400, 429, 500])("gets nothing of a reply with status %i", async (status) => {
    const { taken, sink } = keepingSink();
    const exchange = open(sink);
    exchange.start(status);
    exchange.data("no");
    exchange.end();
    expect(await exchange.outcome).toMatchObject({ data: { status, body: "no" } });
    expect(taken).toEqual([]);
  });

  it("gets a compressed reply when it is whole, and nothing of one that is broken", async () => {
    const { taken, sink } = keepingSink();
    const exchange = open(sink);
    exchange.start(200, { "content-encoding": "gzip" });
    const zipped = gzipSync("grüße");
    exchange.data(zipped.subarray(0, 9));
    exchange.clock.advance(10);
    exchange.data(zipped.subarray(9));
    exchange.end();
    expect(await exchange.outcome).toMatchObject({ data: { body: "", latencyMs: 10 } });
    expect(taken).toEqual([["grüße", 10]]);
    const broken = open(sink);
    broken.start(200, { "content-encoding": "gzip" });
    broken.data("plain");
    broken.end();
    expect(await broken.outcome).toMatchObject({ error: { kind: "unreadable" } });
    expect(taken).toHaveLength(1);
  });

  it("gets no compressed error", async () => {
    const { taken, sink } = keepingSink();
    const exchange = open(sink);
    exchange.start(500, { "content-encoding": "gzip" });
    exchange.data(gzipSync("no"));
    exchange.end();
    expect(await exchange.outcome).toMatchObject({ data: { status: 500, body: "no" } });
    expect(taken).toEqual([]);
  });
});

describe("a stream whose end came before the end of the reply", () => {
  async function ended() {
    const { taken, sink } = keepingSink();
    const exchange = open(sink);
    exchange.start();
    exchange.clock.advance(10);
    exchange.data("end");
    expect(await exchange.outcome).toMatchObject({ success: true, data: { body: "", latencyMs: 10 } });
    return { ...exchange, taken };
  }

  it("may end a moment later, so that the connection is kept", async () => {
    const exchange = await ended();
    exchange.data("more");
    exchange.clock.advance(999);
    expect(exchange.released).toEqual([]);
    exchange.end();
    expect(exchange.released).toEqual([true]);
    exchange.clock.advance(10_000);
    expect(exchange.aborts).toEqual([]);
    expect(exchange.taken).toHaveLength(1);
  });

  it("is cut when the reply stays open", async () => {
    const exchange = await ended();
    exchange.clock.advance(1_000);
    expect(exchange.aborts).toEqual(["The server left its reply open"]);
    expect(exchange.released).toEqual([]);
  });

  it("is cut when much more comes", async () => {
    const exchange = await ended();
    exchange.data(Buffer.alloc(65_536));
    expect(exchange.aborts).toEqual([]);
    exchange.data("x");
    expect(exchange.aborts).toEqual(["The server did not stop sending"]);
  });

  it("is forgotten when the connection breaks", async () => {
    const exchange = await ended();
    exchange.fail(new Error("reset"));
    expect(exchange.released).toEqual([false]);
    exchange.clock.advance(10_000);
    expect(exchange.aborts).toEqual([]);
  });
});

describe("the deadlines of a stream", () => {
  const never: BodySink = () => false;

  it("begin again with each piece, but for the one of the whole request", async () => {
    const exchange = open(never);
    exchange.start();
    for (let elapsedMs = 0; elapsedMs < 480; elapsedMs += 40) {
      exchange.data("x");
      exchange.clock.advance(40);
    }
    exchange.data("x");
    expect(exchange.aborts).toEqual([]);
    exchange.clock.advance(20);
    expect(await exchange.outcome).toMatchObject({ error: { kind: "timeout", which: "request", ms: 500 } });
    expect(exchange.aborts).toEqual(["The request deadline of 500 ms passed"]);
  });

  it("end one that falls silent", async () => {
    const exchange = open(never);
    exchange.start();
    exchange.data("x");
    exchange.clock.advance(50);
    expect(await exchange.outcome).toMatchObject({ error: { kind: "timeout", which: "idle", ms: 50 } });
    expect(exchange.aborts).toEqual(["The idle deadline of 50 ms passed"]);
  });

  it("are not the only way to end it: the caller may", async () => {
    const exchange = open(never);
    exchange.start();
    exchange.data("x");
    exchange.caller.abort(new Error("stop"));
    expect(await exchange.outcome).toMatchObject({ error: { kind: "aborted" } });
    expect(exchange.aborts).toEqual(["stop"]);
  });
});

describe("the size of a body", () => {
  it.each([
    ["read as a whole", undefined, 50],
    ["taken piece by piece", () => false, 400],
  ] as const)("that is %s is bounded", async (_name, sink, maxMebibytes) => {
    const exchange = open(sink);
    exchange.start();
    for (let count = 0; count < maxMebibytes; count += 1) exchange.data(mebibyte);
    expect(exchange.aborts).toEqual([]);
    exchange.data("x");
    expect(await exchange.outcome).toMatchObject({
      error: { kind: "unreadable", status: 200, message: `the reply is larger than ${maxMebibytes} MiB` },
    });
  });
});

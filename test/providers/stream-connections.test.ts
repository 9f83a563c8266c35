import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";
import type { BodySink, HttpTransport } from "../../packages/core/src/providers/http/transport.js";
import { createUndiciTransport } from "../../packages/core/src/providers/http/undici-transport.js";
import { beginStream, sendStream, streamFrames } from "../support/provider-streams.js";
import { startServer, type Handler, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf } from "./adapter-under-test.js";

const timeouts = { connectMs: 10_000, headersMs: 10_000, idleMs: 10_000, requestMs: 60_000 };
const frames = streamFrames("openai", { text: "Order ORD-1 was delivered." });
const untilFirstPiece = 2;

let server: LoopbackServer;
let transport: HttpTransport;

afterEach(async () => {
  await transport.close();
  await server.close();
});

/** A server, and an adapter whose time stands still; `arrivals` tells of each piece that reached it. */
async function serve(handler: Handler) {
  server = await startServer(handler);
  const clock = createManualClock();
  transport = createUndiciTransport(clock);
  let arrived = 0;
  const waiting = new Set<() => void>();
  const http: HttpTransport = {
    close: () => transport.close(),
    send: (request, options) => {
      const sink: BodySink = (chunk, elapsedMs, head) => {
        const isOver = request.sink?.(chunk, elapsedMs, head) ?? true;
        arrived += 1;
        for (const check of waiting) check();
        return isOver;
      };
      return transport.send({ ...request, sink }, options);
    },
  };
  const provider = { base_url: server.url };
  const adapter = adapterFor({ type: "openai", providerName: "local", provider }, { http, clock });
  return {
    clock,
    ask: (signal = new AbortController().signal) => adapter.complete(requestOf({ stream: true, timeouts }), { signal }),
    /** Waits until so many pieces are there. */
    arrivals: (count: number) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (arrived < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

/** A server whose next piece is sent by hand. */
async function serveByHand() {
  const pieces: ((piece: string | null) => void)[] = [];
  const served = await serve((_request, response) => {
    beginStream(response);
    pieces.push((piece) => void (piece === null ? response.end() : response.write(piece)));
  });
  let sent = 0;
  /** Sends a piece and waits until it is read; null ends the reply. */
  const send = async (piece: string | null): Promise<void> => {
    await expect.poll(() => pieces.length, { interval: 1 }).toBe(1);
    pieces[0]?.(piece);
    sent += 1;
    if (piece !== null) await served.arrivals(sent);
  };
  return { ...served, send };
}

describe("the time to the first token", () => {
  it("is the one of the first piece, and the latency the one of the last", async () => {
    const { ask, clock, send } = await serveByHand();
    const asked = ask();
    await send(": working on it\n\n");
    clock.advance(300);
    await send(frames[0] ?? "");
    clock.advance(200);
    await send(frames[1] ?? "");
    clock.advance(1_000);
    await send(frames.slice(untilFirstPiece).join(""));
    expect(await asked).toMatchObject({ data: { timeToFirstTokenMs: 500, latencyMs: 1_500 } });
  });

  it("is the latency for a compressed stream, which is read as a whole", async () => {
    const { ask } = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      response.end(gzipSync(frames.join("")));
    });
    const result = await ask();
    expect(result).toMatchObject({ data: { text: "Order ORD-1 was delivered." } });
    expect(result.success && result.data.timeToFirstTokenMs).toBe(result.success && result.data.latencyMs);
  });
});

describe("in the middle of a stream", () => {
  const begun = { retryable: false, partialText: "Order" };

  async function interrupted() {
    const served = await serveByHand();
    const caller = new AbortController();
    const asked = served.ask(caller.signal);
    await served.send(frames.slice(0, untilFirstPiece).join(""));
    return { ...served, caller, asked };
  }

  it("the idle deadline ends it, and the connection", async () => {
    const { asked, clock } = await interrupted();
    clock.advance(10_000);
    expect(await asked).toMatchObject({
      error: { code: "PROVIDER_TIMEOUT", details: { timeout: { kind: "idle", ms: 10_000 }, ...begun } },
    });
    await expect.poll(() => server.openConnections()).toBe(0);
  });

  it("the deadline of the request ends it, although pieces keep coming", async () => {
    const { asked, clock, send } = await interrupted();
    for (let count = 0; count < 6; count += 1) {
      clock.advance(9_500);
      await send(": keep-alive\n\n");
    }
    clock.advance(3_000);
    expect(await asked).toMatchObject({
      error: { code: "PROVIDER_TIMEOUT", details: { timeout: { kind: "request", ms: 60_000 }, ...begun } },
    });
  });

  it("the caller may end it", async () => {
    const { asked, caller } = await interrupted();
    caller.abort(new Error("stop"));
    expect(await asked).toMatchObject({ error: { code: "ENGINE_ABORTED", details: begun } });
    await expect.poll(() => server.openConnections()).toBe(0);
  });
});

describe("the connection of a stream", () => {
  it("is used again", async () => {
    const { ask } = await serve((_request, response) => sendStream(response, frames));
    const count = 8;
    for (let asked = 0; asked < count; asked += 1) {
      expect(await ask()).toMatchObject({ success: true });
    }
    expect(server.requests).toHaveLength(count);
    // A socket is free again only a moment after its reply, so that the next request may open another one.
    expect(server.connections()).toBeLessThanOrEqual(3);
  });

  it("is cut a second after the answer when the server leaves it open", async () => {
    const { ask, clock } = await serve((_request, response) => {
      beginStream(response);
      response.write(frames.join(""));
    });
    expect(await ask()).toMatchObject({ success: true });
    clock.advance(999);
    expect(await server.openConnections()).toBe(1);
    clock.advance(1);
    await expect.poll(() => server.openConnections()).toBe(0);
  });

  it("is cut when the server does not stop sending", async () => {
    const { ask } = await serve((_request, response) => {
      beginStream(response);
      response.write(frames.join(""));
      const goOn = (): void => {
        if (!response.destroyed) response.write(`: ${"x".repeat(16_384)}\n\n`, goOn);
      };
      goOn();
    });
    expect(await ask()).toMatchObject({ success: true });
    await expect.poll(() => server.openConnections()).toBe(0);
  });
});

it("a stream may be larger than a reply without streaming", async () => {
  const mebibyte = "x".repeat(1_048_576);
  // Encoded once, not once for each time that it is sent.
  const piece = Buffer.from((frames[1] ?? "").replace("Order", mebibyte));
  const { ask } = await serve((_request, response) => {
    beginStream(response);
    for (let count = 0; count < 51; count += 1) response.write(piece);
    response.end(frames.slice(untilFirstPiece).join(""));
  });
  const result = await ask();
  expect(result.success && result.data.text.length).toBe(51 * mebibyte.length + " ORD-1 was delivered.".length);
});

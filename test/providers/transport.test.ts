import { getEventListeners } from "node:events";
import { createServer as createSilentServer, type AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../packages/core/src/__fixtures__/manual-clock.js";
import { createUndiciTransport } from "../../packages/core/src/providers/http/undici-transport.js";
import type { HttpRequest, HttpTransport } from "../../packages/core/src/providers/http/transport.js";
import { createSystemClock, type Clock } from "../../packages/core/src/values/clock.js";
import {
  refusedUrl,
  startServer,
  type Handler,
  type LoopbackServer,
} from "../../packages/core/src/__fixtures__/start-server.js";
import { whileAdvancing } from "../support/while-advancing.js";

const timeouts = { connectMs: 2_000, headersMs: 2_000, idleMs: 2_000, requestMs: 4_000 };

let server: LoopbackServer;
let transport: HttpTransport;

afterEach(async () => {
  await transport.close();
  await server.close();
});

async function serve(handler: Handler, clock: Clock = createSystemClock()): Promise<void> {
  server = await startServer(handler);
  transport = createUndiciTransport(clock);
}

function send(parts: Partial<HttpRequest> = {}, signal: AbortSignal = new AbortController().signal) {
  const request = { url: server.url, method: "POST" as const, headers: {}, body: "{}", timeouts, ...parts };
  return transport.send(request, { signal });
}

describe("a reply", () => {
  it("comes with status, joined headers, body and latency", async () => {
    await serve((_request, response) => {
      response.writeHead(418, { "X-Two": ["a", "b"], "X-One": "c" });
      response.end("short and stout");
    });
    const reply = await send();
    expect(reply).toMatchObject({
      success: true,
      data: { status: 418, headers: { "x-two": "a, b", "x-one": "c" }, body: "short and stout" },
    });
    expect(reply.success && reply.data.latencyMs).toBeGreaterThan(0);
  });

  it("carries method, path, query, headers and body as given", async () => {
    await serve((_request, response) => void response.end());
    await send({ url: `${server.url}/a%20b?c=d`, headers: { "x-test": "é" }, body: "grüße" });
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/a%20b?c=d", body: "grüße" });
    expect(server.requests[0]?.headers["content-length"]).toBe("7");
  });

  it("keeps characters whole that arrive in two chunks, and drops a byte order mark", async () => {
    const bytes = Buffer.from('\ufeff{"a":"€"}');
    await serve((_request, response) => {
      response.write(bytes.subarray(0, 10), () => setImmediate(() => response.end(bytes.subarray(10))));
    });
    expect(await send()).toMatchObject({ data: { body: '{"a":"€"}' } });
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
  ])("in %s is decoded, although nobody asked for it", async (encoding, compress) => {
    await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      response.end(compress("grüße"));
    });
    expect(await send()).toMatchObject({ data: { body: "grüße" } });
    expect(server.requests[0]?.headers).not.toHaveProperty("accept-encoding");
  });

  it("is not followed when it redirects", async () => {
    await serve((_request, response) => {
      response.writeHead(307, { location: "/elsewhere" });
      response.end();
    });
    expect(await send()).toMatchObject({ data: { status: 307 } });
    expect(server.requests).toHaveLength(1);
  });

  it("is refused when it is larger than 50 MiB", async () => {
    const mebibyte = Buffer.alloc(1_048_576, 32);
    await serve((_request, response) => {
      for (let count = 0; count < 51; count += 1) response.write(mebibyte);
      response.end();
    });
    expect(await send()).toMatchObject({
      error: { kind: "unreadable", status: 200, message: "the reply is larger than 50 MiB" },
    });
  });

  it("is refused when it unpacks to more than 50 MiB", async () => {
    await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(51 * 1_048_576), { level: 1 }));
    });
    expect(await send()).toMatchObject({ error: { kind: "unreadable", status: 200 } });
  });

  it.each([
    ["zstd", 'the reply is encoded as "zstd", which is not supported'],
    ["gzip, identity", /^the reply is not valid gzip: /],
  ])("in the encoding %s that it does not have is unreadable", async (encoding, message) => {
    await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      response.end("plain");
    });
    const expected = typeof message === "string" ? message : (expect.stringMatching(message) as string);
    expect(await send()).toMatchObject({ error: { kind: "unreadable", message: expected } });
  });
});

describe("connections", () => {
  it("are kept and used again", async () => {
    await serve((_request, response) => void response.end("ok"));
    const count = 5;
    const chain = Array.from({ length: count }).reduce<Promise<unknown>>(
      (before) => before.then(() => send()),
      Promise.resolve(),
    );
    await chain;
    expect(server.requests).toHaveLength(count);
    // A socket is free again only a moment after its reply, so the second request may open another one.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it("are closed with the transport", async () => {
    await serve((_request, response) => void response.end("ok"));
    await send();
    expect(await server.openConnections()).toBe(1);
    await transport.close();
    await expect.poll(() => server.openConnections()).toBe(0);
  });

  it("are as many as there are requests at once", async () => {
    const waiting: (() => void)[] = [];
    await serve((_request, response) => {
      waiting.push(() => void response.end("ok"));
      if (waiting.length === 20) for (const answer of waiting) answer();
    });
    const replies = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(replies.every((reply) => reply.success)).toBe(true);
    expect(server.connections()).toBe(20);
  });
});

describe("an abort by the caller", () => {
  it("ends the request at once, and is no timeout", async () => {
    await serve(() => controller.abort(new Error("stop")));
    const controller = new AbortController();
    const reply = await send({}, controller.signal);
    expect(reply).toMatchObject({ error: { kind: "aborted", cause: { message: "stop" } } });
  });

  it("before the request sends nothing", async () => {
    await serve((_request, response) => void response.end());
    const reply = await send({}, AbortSignal.abort(new Error("stop")));
    expect(reply).toMatchObject({ error: { kind: "aborted" } });
    expect(server.requests).toHaveLength(0);
  });

  it("in the middle of the body ends the request", async () => {
    await serve((_request, response) => {
      response.write("half", () => setImmediate(() => controller.abort(new Error("stop"))));
    });
    const controller = new AbortController();
    expect(await send({}, controller.signal)).toMatchObject({ error: { kind: "aborted" } });
  });

  it("reaches every request that shares the signal, through one listener", async () => {
    const controller = new AbortController();
    await serve((request) => {
      if (request.number < 12) return;
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
      controller.abort(new Error("stop"));
    });
    const replies = await Promise.all(Array.from({ length: 12 }, () => send({}, controller.signal)));
    expect(replies.map((reply) => (reply.success ? "reply" : reply.error.kind))).toEqual(Array(12).fill("aborted"));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("still reaches one request when another that shares the signal is done", async () => {
    const controller = new AbortController();
    await serve((request, response) => {
      if (request.number === 2) response.end("ok");
    });
    const waiting = send({}, controller.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    expect(await send({}, controller.signal)).toMatchObject({ data: { body: "ok" } });
    controller.abort(new Error("stop"));
    expect(await waiting).toMatchObject({ error: { kind: "aborted" } });
  });

  it("while the connection is being made sends nothing later", async () => {
    await serve((_request, response) => void response.end("ok"));
    await send({ url: await refusedUrl() });
    const controller = new AbortController();
    const given = send({ url: `${server.url}/given-up` }, controller.signal);
    controller.abort(new Error("stop"));
    expect(await given).toMatchObject({ error: { kind: "aborted" } });
    await send({ url: `${server.url}/next` });
    await send({ url: `${server.url}/last` });
    expect(server.requests.map((request) => request.path)).toEqual(["/next", "/last"]);
  });

  it("leaves one listener on its signal, however many requests there were and however they ended", async () => {
    const controller = new AbortController();
    const left = (): number => getEventListeners(controller.signal, "abort").length;
    await serve((request, response) => {
      if (request.number === 1) response.end("ok");
      if (request.number === 2) response.destroy();
    });
    await send({}, controller.signal);
    expect(left()).toBe(1);
    await send({}, controller.signal);
    expect(left()).toBe(1);
    await send({ timeouts: { ...timeouts, headersMs: 30 } }, controller.signal);
    expect(left()).toBe(1);
    await send({ url: "ftp://127.0.0.1" }, controller.signal);
    expect(left()).toBe(1);
  });
});

describe("deadlines", () => {
  it("of the body hold although the earlier ones are longer, and the body starts late", async () => {
    const clock = createManualClock();
    await serve((_request, response) => void clock.after(90, () => response.write("half")), clock);
    const asked = send({ timeouts: { connectMs: 5_000, headersMs: 5_000, idleMs: 60, requestMs: 5_000 } });
    expect(await whileAdvancing(clock, 10, asked)).toMatchObject({ error: { kind: "timeout", which: "idle", ms: 60 } });
    expect(clock.monotonic()).toBeLessThan(1_500);
  });

  it("do not end a body that keeps coming", async () => {
    const clock = createManualClock();
    await serve((_request, response) => {
      const write = (left: number): void => {
        if (left === 0) return void response.end();
        response.write("x");
        clock.after(30, () => write(left - 1));
      };
      write(6);
    }, clock);
    const asked = send({ timeouts: { ...timeouts, idleMs: 120 } });
    expect(await whileAdvancing(clock, 5, asked)).toMatchObject({ data: { body: "xxxxxx" } });
    expect(clock.monotonic()).toBeGreaterThan(120);
  });

  it("of the connection are told apart from those of the answer", async () => {
    const clock = createManualClock();
    await serve((_request, response) => void response.end(), clock);
    // It accepts the connection, but the TLS handshake never gets an answer.
    const silent = createSilentServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const asked = send({ url: `https://127.0.0.1:${port}`, timeouts: { ...timeouts, connectMs: 60 } });
    const reply = await whileAdvancing(clock, 10, asked);
    expect(reply).toMatchObject({ error: { kind: "timeout", which: "connect", ms: 60 } });
    expect(clock.monotonic()).toBeLessThan(1_500);
    silent.close();
  });
});

describe("a connection that fails", () => {
  it("in the TLS handshake is a network error", async () => {
    await serve((_request, response) => void response.end());
    const reply = await send({ url: server.url.replace("http:", "https:") });
    const systemCode = expect.stringMatching(/^(ERR_SSL_|EPROTO)/) as string;
    expect(reply).toMatchObject({ error: { kind: "network", systemCode } });
  });

  it("to every address of a name says why", async () => {
    await serve((_request, response) => void response.end());
    const refused = (await refusedUrl()).replace("127.0.0.1", "localhost");
    const reply = await send({ url: refused });
    expect(reply).toMatchObject({
      error: {
        kind: "network",
        systemCode: "ECONNREFUSED",
        message: expect.stringContaining("connect ECONNREFUSED") as string,
      },
    });
  });
});

describe("a request that HTTP cannot carry", () => {
  it.each([
    [{ url: "no address" }, '"no address" is not an HTTP address'],
    [{ url: "ftp://127.0.0.1" }, '"ftp://127.0.0.1" is not an HTTP address'],
    [{ headers: { "x-test": "two\nlines" } }, "invalid x-test header"],
  ])("%j is not sent", async (parts, message) => {
    await serve((_request, response) => void response.end());
    expect(await send(parts)).toMatchObject({ error: { kind: "unsendable", message } });
    expect(server.requests).toHaveLength(0);
  });
});

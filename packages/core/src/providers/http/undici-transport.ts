import { createRequire } from "node:module";
import type { buildConnector, Client } from "undici";
import { attempt, attemptSync } from "../../errors/boundary.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { messageOf } from "../../errors/message-of.js";
import { failure, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { createAbortWatch } from "./abort-watch.js";
import { createAnswerTurns } from "./answer-turns.js";
import { createKeptConnections, createSharedConnection, type Connections } from "./connections.js";
import { Exchange } from "./exchange.js";
import { describeFailure } from "./describe-failure.js";
import type { ProxySettings } from "./proxy-settings.js";
import type { HttpFailure, HttpOutcome, HttpRequest, HttpTransport } from "./transport.js";

interface Target {
  origin: string;
  path: string;
}

// Only the file name determines the type of a module.
const requireClient: (name: string) => typeof Client = createRequire(import.meta.url);
const requireBytes: (name: string) => Uint8Array = createRequire(import.meta.url);
const requireConnector: (name: string) => typeof buildConnector = createRequire(import.meta.url);

/** Calls `compile`, which compiles WebAssembly and never throws, and returns its result; may change flags of V8 meanwhile. */
export type CompileWasm = <T>(compile: () => T) => T;

/** A part of Node whose types come with those of browsers alone. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

/** Kept, since V8 forgets what nobody holds. */
let parser: Result<object> | null = null;

/**
 * undici without its `fetch`, its mocks, its caches and the rest of a hundred modules, which take three times as long to
 * load as what a run needs, and a run waits for it. It has no separate entry for these two, so package.json accepts
 * no other minor version.
 */
function loadParts(compileWasm: CompileWasm | null) {
  // With its first connection undici compiles its parser of HTTP, and gets what V8 has compiled of the same bytes before.
  if (compileWasm !== null) {
    // What is loaded while flags of V8 differ would be compiled again in each process.
    const bytes = requireBytes("undici/lib/llhttp/llhttp_simd-wasm.js");
    parser ??= compileWasm(() =>
      attemptSync(
        () => new WebAssembly.Module(bytes),
        // A processor without the instructions: undici has another parser for it.
        (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
      ),
    );
  }
  return {
    Client: requireClient("undici/lib/dispatcher/client.js"),
    buildConnector: requireConnector("undici/lib/core/connect.js"),
  };
}

/** What a transport can do without. */
export interface UndiciSettings {
  /** Default: no request goes through a proxy. */
  proxy?: ProxySettings | null;
  /** Default: the parser of HTTP is compiled as V8 does it by itself. */
  compileWasm?: CompileWasm | undefined;
}

/** As many distinct addresses as are remembered; a run has one per model. */
const maxTargets = 100;

/**
 * HTTP over undici with kept-alive connections, for each connect timeout apart, or through a proxy. undici is loaded at
 * the first request. Redirects are replies like any other.
 */
export function createUndiciTransport(clock: Clock, settings: UndiciSettings = {}): HttpTransport {
  const opening = new Map<number, Promise<Result<Connections, HttpFailure>>>();
  const ready = new Map<number, Connections>();
  const targetOf = createTargets();
  const world = { clock, aborts: createAbortWatch(), turns: createAnswerTurns(clock) };

  const open = async (connectMs: number): Promise<Result<Connections, HttpFailure>> => {
    const opened = await attempt(
      () => openConnections(connectMs, settings),
      (cause) => ({ code: "UNKNOWN_ERROR", message: String(cause), cause: cause instanceof Error ? cause : undefined }),
    );
    if (!opened.success) return failure(describeFailure(opened.error.cause ?? new Error(opened.error.message)));
    ready.set(connectMs, opened.data);
    return opened;
  };

  const connectionsFor = (connectMs: number): Promise<Result<Connections, HttpFailure>> => {
    let connections = opening.get(connectMs);
    if (connections === undefined) opening.set(connectMs, (connections = open(connectMs)));
    return connections;
  };

  const exchange = (
    request: HttpRequest,
    { origin, path }: Target,
    signal: AbortSignal,
    connections: Connections,
  ): Promise<HttpOutcome> => {
    const { method, headers, body, bytes } = request;
    const options = { origin, path, method, headers, body: bytes ?? body };
    return new Exchange(world, request, signal).run(connections.take(origin), options);
  };

  return {
    send(request, { signal }) {
      const target = targetOf(request.url);
      if (target === null) {
        const message = `"${request.url}" is not an HTTP address`;
        return Promise.resolve(failure({ kind: "unsendable", message, cause: new Error(message) }));
      }
      const { connectMs } = request.timeouts;
      const connections = ready.get(connectMs);
      if (connections !== undefined) return exchange(request, target, signal, connections);
      return connectionsFor(connectMs).then((opened) =>
        opened.success ? exchange(request, target, signal, opened.data) : opened,
      );
    },
    async close() {
      const all = [...ready.values()];
      ready.clear();
      opening.clear();
      await Promise.all(all.map((connections) => connections.destroy()));
    },
  };
}

/** Finds the parts of an address; null if it is not one of HTTP. */
function createTargets(): (url: string) => Target | null {
  const targets = new Map<string, Target>();
  return (url) => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
    const target = { origin: parsed.origin, path: parsed.pathname + parsed.search };
    if (targets.size >= maxTargets) targets.clear();
    targets.set(url, target);
    return target;
  };
}

async function openConnections(timeout: number, { proxy = null, compileWasm }: UndiciSettings): Promise<Connections> {
  // The deadlines of an exchange are kept by the exchange: undici's own are only exact to about a second.
  const options = { headersTimeout: 0, bodyTimeout: 0 };
  const parts = loadParts(compileWasm ?? null);
  if (proxy !== null) {
    const { EnvHttpProxyAgent } = await import("undici");
    return createSharedConnection(new EnvHttpProxyAgent({ ...options, ...proxy, connect: { timeout } }));
  }
  // One connector for all, so that they share their TLS sessions.
  const connect = parts.buildConnector({ timeout });
  return createKeptConnections((origin) => new parts.Client(origin, { ...options, connect }));
}

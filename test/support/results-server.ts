import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import type { RunDocument } from "../../packages/core/src/upload.js";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";

/** A request as the server received it, inflated. */
export interface ServerRequest {
  method: string;
  /** Below `/api/v1`. */
  path: string;
  authorization: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Length of the body as it was sent. */
  sentBytes: number;
  text: string;
}

export type Answer =
  | { status: number; body?: unknown; headers?: Readonly<Record<string, string>> }
  | "hang"
  | "reset"
  | "half"
  /** Begins, and goes on with a byte now and then, which never ends: of its head or of its body. */
  | "drip-head"
  | "drip-body";

export interface ResultsServer {
  url: string;
  requests: ServerRequest[];
  /** The bodies that it keeps, by path. */
  runs: Map<string, string>;
  /** Answers in place of the server; null leaves it to the server. */
  answer: (request: ServerRequest) => Answer | null;
  close(): Promise<void>;
}

export const serverToken = `klm_${"a1".repeat(22)}`;

/** A results server in memory, with as much of the API as the client uses. It keeps the first content of each run. */
export async function startResultsServer(): Promise<ResultsServer> {
  const kept = new Map<string, string>();
  const server: ResultsServer = {
    url: "",
    requests: [],
    runs: kept,
    answer: () => null,
    close: () => Promise.resolve(),
  };
  const http = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const sent = Buffer.concat(chunks);
      const request: ServerRequest = {
        method: incoming.method ?? "",
        path: (incoming.url ?? "").replace("/api/v1", ""),
        authorization: incoming.headers.authorization,
        headers: incoming.headers,
        sentBytes: sent.length,
        text: (incoming.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent).toString("utf8"),
      };
      server.requests.push(request);
      const answer = server.answer(request) ?? usualAnswer(request, kept);
      if (answer === "reset") return void incoming.socket.destroy();
      if (answer === "hang") return;
      if (answer === "half") return void response.writeHead(200, { "content-length": "100" }).write("{");
      if (answer === "drip-head" || answer === "drip-body") return drip(incoming.socket, answer === "drip-body");
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  server.close = () =>
    new Promise((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  afterFile(() => server.close());
  return server;
}

const dripMs = 20;

function drip(socket: Socket, isInBody: boolean): void {
  socket.write(`HTTP/1.1 200 OK\r\n${isInBody ? "content-length: 100000\r\n\r\n" : "x-slow: "}`);
  const dripping = setInterval(() => socket.write("a"), dripMs);
  socket.on("error", () => {});
  socket.on("close", () => clearInterval(dripping));
}

function usualAnswer({ method, path, text, authorization }: ServerRequest, kept: Map<string, string>): Answer {
  if (!path.startsWith("/auth/") && authorization !== `Bearer ${serverToken}`) {
    const message = "The token is missing, not valid, or expired";
    return { status: 401, body: { error: "CLOUD_AUTH_ERROR", message, details: {} } };
  }
  if (method === "PUT") {
    const before = kept.get(path);
    kept.set(path, before ?? text);
    if (before === undefined) return { status: 201, body: { state: "complete" } };
    if (before === text) return { status: 200, body: { state: "complete" } };
    return { status: 409, body: { error: "conflict", message: "The run is there with other content", details: {} } };
  }
  const [, run] = /\/runs\/([^/]+)$/.exec(path) ?? [];
  if (method === "GET" && path.includes("/runs")) {
    const heads = [...kept].filter(([key]) => /\/runs\/[^/]+$/.test(key));
    const items = heads.map(([, body]) => rowOf(body)).toReversed();
    if (run === undefined) return { status: 200, body: pageOf(items, new URL(path, "http://localhost").searchParams) };
    const found = items.find((one) => one.run === run);
    if (found !== undefined) return { status: 200, body: { row: found, cases: [] } };
  }
  if (path === "/me") {
    const account = { user: "Ada", organization: "acme", plan: null, scopes: ["runs:write"], projects: ["shop"] };
    return { status: 200, body: { ...account, expires_ms: Date.parse("2027-01-01") } };
  }
  if (method === "DELETE") return { status: 204, body: "" };
  return { status: 404, body: { error: "not_found", message: "Nothing is here", details: {} } };
}

function pageOf(items: readonly object[], query: URLSearchParams): object {
  const from = Number(query.get("after") ?? 0);
  const to = from + Number(query.get("most") ?? 200);
  return { items: items.slice(from, to), next: to < items.length ? String(to) : null };
}

/** As the server lists a run. */
function rowOf(body: string) {
  const { run } = JSON.parse(body) as { run: RunDocument };
  const { passed, failed, errored, skipped, costUsd } = run.summary;
  const { branch, commit, verdict } = run;
  const counts = { passed, failed, errored, skipped, cost_usd: costUsd };
  return { run: run.run, started_ms: Date.parse(run.startedAt), branch, commit, verdict, ...counts };
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a loopback server received it. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** The body parsed, or null when it is no JSON. */
  json: unknown;
  /** Which request to this server it is, from 1. */
  number: number;
}

export interface LoopbackServer {
  /** Such as `http://127.0.0.1:40123`, without a slash at the end. */
  url: string;
  /** Every request so far, in the order of arrival. */
  requests: readonly ReceivedRequest[];
  /** How many TCP connections were opened. */
  connections(): number;
  /** How many of them are open now. */
  openConnections(): Promise<number>;
  /** Cuts every connection. */
  close(): Promise<void>;
}

export type Handler = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** A real HTTP server on a free port of the loopback interface. */
export async function startServer(handler: Handler): Promise<LoopbackServer> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const request = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        body,
        json: parsed(body),
        number: requests.length + 1,
      };
      requests.push(request);
      void handler(request, response);
    });
  });
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    openConnections: () =>
      new Promise((resolve) =>
        server.getConnections((problem, count) => resolve(problem === null ? count : Number.NaN)),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** An address on which nothing listens. */
export async function refusedUrl(): Promise<string> {
  const server = await startServer(() => undefined);
  await server.close();
  return server.url;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

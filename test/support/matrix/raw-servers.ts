import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:https";
import { refusedUrl, startServer } from "../../../packages/core/src/__fixtures__/start-server.js";
import type { RawServer } from "./row.js";
import { selfSigned } from "./self-signed.js";
import { wellBody } from "./steps.js";

/** A name in a top-level domain that is guaranteed not to exist (RFC 6761). */
export const unknownHost = async (): Promise<RawServer> => nowhere("http://provider.invalid/v1");

/** A port on which nothing listens. */
export const closedPort = async (): Promise<RawServer> => nowhere(`${await refusedUrl()}/v1`);

/** Accepts connections, reads what comes, and does no more. */
export function silentServer(scheme: "http" | "https"): () => Promise<RawServer> {
  return () => {
    let requests = 0;
    const server = createTcpServer((socket) => {
      socket.on("data", (bytes) => {
        if (bytes.toString("latin1").startsWith("POST ")) requests += 1;
      });
    });
    return listen(server, scheme, () => requests);
  };
}

/** TLS with a certificate that nobody vouches for. */
export function untrustedServer(scheme: "http" | "https"): () => Promise<RawServer> {
  return () => {
    let requests = 0;
    const server = createTlsServer(selfSigned, (_request, response) => {
      requests += 1;
      response.end(wellBody({ shape: "openai" }));
    });
    return listen(server, scheme, () => requests);
  };
}

/** Plain HTTP that is spoken to as if it were TLS. */
export async function plainServer(): Promise<RawServer> {
  const server = await startServer((_request, response) => void response.end());
  return {
    baseUrl: server.url.replace("http:", "https:"),
    requests: () => server.requests.length,
    close: server.close,
  };
}

async function listen(server: Server, scheme: string, requests: () => number): Promise<RawServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `${scheme}://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function nowhere(baseUrl: string): RawServer {
  return { baseUrl, requests: () => 0, close: () => Promise.resolve() };
}

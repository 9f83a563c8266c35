import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterFile } from "../../../core/src/__fixtures__/clean-up.js";
import { startTestServer, type TestServer, type TestSettings } from "./test-server.js";

export interface ListeningServer extends TestServer {
  url: string;
  /** The requests as they came, compressed bodies included. */
  received: { path: string; headers: Headers; body: Buffer }[];
}

/** The test server on a port of the loopback interface, for clients that are programs. */
export async function startListeningServer(settings: Partial<TestSettings> = {}): Promise<ListeningServer> {
  let listener: ReturnType<typeof getRequestListener> | null = null;
  const http = createServer((request, response) => void listener?.(request, response));
  const url = await new Promise<string>((resolve) => {
    http.listen(0, "127.0.0.1", () => {
      const address = http.address() as AddressInfo;
      resolve(`http://127.0.0.1:${address.port}`);
    });
  });
  afterFile(() => {
    http.closeAllConnections();
    http.close();
  });
  const server = await startTestServer({ ...settings, origin: () => url });
  const received: ListeningServer["received"] = [];
  listener = getRequestListener(async (request) => {
    const body = Buffer.from(await request.clone().arrayBuffer());
    received.push({ path: new URL(request.url).pathname, headers: request.headers, body });
    return server.app.fetch(request);
  });
  return { ...server, url, received };
}

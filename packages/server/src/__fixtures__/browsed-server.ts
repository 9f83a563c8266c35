import { createAdaptorServer } from "@hono/node-server";
import type { AddressInfo } from "node:net";
import type { Role } from "../auth/roles.js";
import { startTestServer, type TestServer } from "./test-server.js";
import { signedIn } from "./visitor.js";

export interface BrowsedServer extends TestServer {
  origin: string;
  /** The value of the cookie of a new person who is signed in. */
  cookieOf(role: Role): Promise<string>;
  close(): Promise<void>;
}

/** A server of tests that listens, for browsers. */
export async function startBrowsedServer(settings: { accepts?: string } = {}): Promise<BrowsedServer> {
  let origin = "";
  const server = await startTestServer({ ...settings, origin: () => origin });
  const http = createAdaptorServer({ fetch: server.app.fetch });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = http.address();
  origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    ...server,
    origin,
    cookieOf: async (role) => (await signedIn(server, role)).cookies.get("kindlm") ?? "",
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        if ("closeAllConnections" in http) http.closeAllConnections();
      }),
  };
}

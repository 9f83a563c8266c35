import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { isIP, type AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { codeOf, messageOf } from "../database/retry-conflicts.js";
import type { ServerSettings } from "./parse-settings.js";

/** Where a server listens, as an address. */
export const addressAt = (protocol: string, host: string, port: number): string =>
  `${protocol}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

export function boundTo(address: string | AddressInfo | null): { port: number } {
  return typeof address === "object" && address !== null ? address : { port: 0 };
}

interface Listening {
  listen(port: number, host: string, listener: () => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

const listenFixes: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop the program that uses the port, or choose another one with --port",
  EACCES: "Ports below 1024 are for root: choose another one with --port, and put a proxy in front",
  EADDRNOTAVAIL: "--host names an address of this machine, 0.0.0.0, or ::",
};

/** Null once it listens, else why it does not. */
export function listen(
  server: Listening,
  port: number,
  host: string,
): Promise<{ message: string; fix?: string } | null> {
  return new Promise((resolve) => {
    const onError = (error: Error): void => {
      const fix = listenFixes[codeOf(error) ?? ""];
      resolve({ message: error.message, ...(fix === undefined ? {} : { fix }) });
    };
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve(null);
    });
  });
}

/** Why a body that trickles in cannot hold its connection for hours: a request has a minute, its head ten seconds. */
const patience = { requestTimeout: 60_000, headersTimeout: 10_000, connectionsCheckingInterval: 5_000 };

/** Answers a request. */
export type Respond = (request: Request, connection: object) => Response | Promise<Response>;

/** A server that does not listen yet, or why there is none. */
export function createListener(
  { tls }: Pick<ServerSettings, "tls">,
  fetch: Respond,
  limits: Partial<typeof patience> = patience,
): ServerType | string {
  if (tls === null) {
    return createAdaptorServer({ fetch, createServer: createHttpServer, serverOptions: limits });
  }
  try {
    const files = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
    const serverOptions = { ...limits, ...files };
    return createAdaptorServer({ fetch, createServer: createHttpsServer, serverOptions });
  } catch (error) {
    return `--tls-cert ${tls.cert} and --tls-key ${tls.key} cannot be used: ${messageOf(error)}`;
  }
}

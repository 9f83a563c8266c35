import type { Server } from "node:http";
import { attempt } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";
import type { Result } from "../result.js";
import type { OtlpHandler } from "./otlp-handler.js";

/** Where exporters send to, and what stops listening there. */
export interface OtlpServer {
  /** Such as `http://127.0.0.1:4318`. */
  url: string;
  close(): Promise<void>;
}

/** Listens for OTLP over HTTP; port 0 takes a free one. The error says where that is not possible, and why. */
export function openOtlpServer(host: string, port: number, handle: OtlpHandler): Promise<Result<OtlpServer>> {
  return attempt(
    async () => {
      const { createServer } = await import("node:http");
      const server = createServer(handle);
      return new Promise<OtlpServer>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => resolve({ url: urlOf(server, host, port), close: () => closed(server) }));
      });
    },
    (cause) => kindlmError("UNKNOWN_ERROR", `Could not listen at ${host}:${port}: ${messageOf(cause)}`, { cause }),
  );
}

function urlOf(server: Server, host: string, port: number): string {
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${own}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

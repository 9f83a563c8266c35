import type { RequestTimeouts } from "../provider.js";

export interface HttpRequest {
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body?: string;
  timeouts: RequestTimeouts;
  /** Takes the body of a 2xx reply piece by piece; the body in the reply is empty then. */
  sink?: BodySink;
}

/**
 * Takes a body piece by piece. `elapsedMs` runs from sending the request, like the latency of the reply. True says that
 * all is there: the exchange ends, whatever the server still sends.
 */
export type BodySink = (chunk: Uint8Array, elapsedMs: number) => boolean;

export interface HttpReply {
  status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** From sending the request to the last byte, milliseconds. */
  latencyMs: number;
}

/** Why no complete reply came. */
export type HttpFailure =
  | { kind: "timeout"; which: "connect" | "headers" | "idle" | "request"; ms: number; cause: Error }
  | { kind: "aborted"; cause: Error }
  | { kind: "network"; systemCode: string | null; message: string; cause: Error }
  /** A reply came, but its body is too large or is not in the encoding that it claims. */
  | { kind: "unreadable"; status: number; headers: HttpReply["headers"]; message: string; cause: Error }
  /** The request is not one that HTTP can carry, such as a line feed in a header; nothing was sent. */
  | { kind: "unsendable"; message: string; cause: Error };

/** One HTTP exchange. Never throws; any status is a reply. */
export interface HttpTransport {
  send(
    request: HttpRequest,
    options: { signal: AbortSignal },
  ): Promise<{ success: true; data: HttpReply } | { success: false; error: HttpFailure }>;
  /** Closes kept-alive connections. */
  close(): Promise<void>;
}

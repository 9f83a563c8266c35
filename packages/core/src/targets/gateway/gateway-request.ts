import type { IncomingMessage } from "node:http";

/** A request of an agent. */
export interface GatewayRequest {
  method: string;
  /** Without the query, such as `/v1/chat/completions`. */
  path: string;
  /** Without its `?`, and without a key. */
  query: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** Aborts when the agent no longer waits for the reply. */
  signal: AbortSignal;
  /** Begins a reply that comes in pieces; returns what sends one. */
  begin(head: Pick<GatewayReply, "status" | "headers">): (piece: Uint8Array) => void;
}

export interface GatewayReply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string;
}

/** A whole reply, or how a reply in pieces ended: with the last one, or in the middle. */
export type GatewayOutcome = GatewayReply | "ended" | "cut";

export type GatewayHandler = (request: GatewayRequest) => Promise<GatewayOutcome>;

export function jsonReply(status: number, body: unknown): GatewayReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** An error reply, which tells clients not to try again: KindLM has done that already. */
export function jsonError(status: number, body: unknown): GatewayReply {
  const headers = { "content-type": "application/json", "x-should-retry": "false" };
  return { status, headers, body: JSON.stringify(body) };
}

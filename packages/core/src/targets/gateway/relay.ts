import type { IncomingMessage } from "node:http";
import type { HttpReply } from "../../providers/http/transport.js";
import type { NativeListener, NativeRequest } from "../../providers/provider.js";
import { isAgentsMatter } from "./agents-matter.js";
import type { GatewayOutcome, GatewayReply, GatewayRequest } from "./gateway-request.js";

/** The request of an agent as a provider may get it. */
export function nativeRequest<About extends Pick<NativeRequest, "dialect">>(
  { path, query, headers, body }: GatewayRequest,
  about: About,
): About & Pick<NativeRequest, "path" | "query" | "headers" | "body"> {
  return { ...about, path, query, headers: requestHeaders(headers), body };
}

/** Hands on what a model answers in the agent's own language, as it comes. */
export class Relay implements NativeListener {
  readonly #request: GatewayRequest;
  #send: ((piece: Uint8Array) => void) | null = null;
  #reply: HttpReply | null = null;

  constructor(request: GatewayRequest) {
    this.#request = request;
  }

  sent(): void {
    this.#reply = null;
  }

  piece(piece: Uint8Array, { status, headers }: Pick<HttpReply, "status" | "headers">): void {
    this.#send ??= this.#request.begin({ status, headers: replyHeaders(headers) });
    this.#send(piece);
  }

  replied(reply: HttpReply): void {
    this.#reply = reply;
  }

  /** Null if nothing came that the agent should see as it is. */
  outcome(isAnswered: boolean): GatewayOutcome | null {
    if (this.#send !== null) return isAnswered ? "ended" : "cut";
    if (this.#reply === null || (!isAnswered && !isAgentsMatter(this.#reply.status))) return null;
    return relayedReply(this.#reply);
  }
}

export function relayedReply({ status, headers, body }: HttpReply): GatewayReply {
  return { status, headers: replyHeaders(headers), body };
}

/** Of one connection, so that they mean nothing on the next one. */
const ofConnection = [
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade",
  "host content-length expect",
]
  .join(" ")
  .split(" ");

/** What lets the agent in here and nowhere else, and what asks for a form that KindLM would have to undo. */
const ofRequest = new Set([
  ...ofConnection,
  ..."accept-encoding content-encoding authorization x-api-key x-goog-api-key api-key cookie x-kindlm-token".split(" "),
]);

const ofReply = new Set([...ofConnection, "content-encoding", "set-cookie"]);

/** The headers of an agent's request that a provider gets too. */
function requestHeaders(headers: IncomingMessage["headers"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ofRequest.has(name) ? [] : [[name, String(value)]],
    ),
  );
}

/** The headers of a provider's reply that the agent gets too. */
function replyHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofReply.has(name)));
}

import type { ServerResponse } from "node:http";
import {
  errorBody,
  successBody,
  type ProviderShape,
} from "../../../packages/core/src/__fixtures__/provider-replies.js";
import {
  sendJson,
  startServer,
  type LoopbackServer,
  type ReceivedRequest,
} from "../../../packages/core/src/__fixtures__/start-server.js";

interface Scene {
  shape: ProviderShape;
  request: ReceivedRequest;
  response: ServerResponse;
  /** All that the server learned of the client and should have kept to itself. */
  learned: string;
  /** The same, back in the headers of the reply. */
  headers: Readonly<Record<string, string>>;
}

const failing =
  (status: number, type: string, more: Readonly<Record<string, string>> = {}) =>
  ({ shape, response, learned, headers }: Scene): void =>
    sendJson(response, status, errorBody(shape, type, learned), { ...headers, ...more });

const plain =
  (status: number) =>
  ({ response, learned, headers }: Scene): void => {
    response.writeHead(status, { ...headers, "content-type": "text/plain" });
    response.end(learned);
  };

/** Sends so much of a stream, the echo in the middle of the text, and cuts the connection. */
const cutStream = ({ shape, response, learned, headers }: Scene): void => {
  response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
  const events =
    shape === "openai"
      ? [{ choices: [{ index: 0, delta: { content: learned } }] }]
      : [
          { type: "message_start", message: { content: [] } },
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: learned } },
        ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  response.write(text, () => setImmediate(() => response.destroy()));
};

/** What a server may do with what it was trusted with. */
export const echoes = {
  "401": failing(401, "authentication_error"),
  "403": failing(403, "permission_error"),
  "400": failing(400, "invalid_request_error"),
  "404-plain": plain(404),
  "429": failing(429, "rate_limit_exceeded", { "retry-after": "0" }),
  "429-quota": failing(429, "insufficient_quota"),
  "500": failing(500, "api_error"),
  "503": failing(503, "overloaded_error"),
  "200-plain": plain(200),
  "200-error": ({ response, learned, headers }: Scene): void =>
    sendJson(response, 200, { error: { message: learned } }, headers),
  redirect: ({ response, learned, headers }: Scene): void => {
    response.writeHead(302, { ...headers, location: `/elsewhere?key=${encodeURIComponent(learned)}` });
    response.end(learned);
  },
  reset: ({ response }: Scene): void => void response.socket?.resetAndDestroy(),
  "stream-cut": cutStream,
  "stream-error": ({ shape, response, learned, headers }: Scene): void => {
    response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
    response.end(`event: error\ndata: ${JSON.stringify(errorBody(shape, "api_error", learned))}\n\n`);
  },
  "stream-garbage": ({ response, learned, headers }: Scene): void => {
    response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
    response.end(`data: ${learned}\n\n`);
  },
  text: ({ shape, response, learned, headers }: Scene): void =>
    sendJson(response, 200, successBody(shape, { text: `delivered ${learned}` }), headers),
  "tool-arguments": ({ shape, request, response, learned, headers }: Scene): void => {
    const isAnswered = /"role":"tool"|"tool_result"/.test(request.body);
    const call = { id: "c1", tool: "lookup_order", args: { order_id: learned } };
    const answer = isAnswered ? { text: "delivered" } : { toolCalls: [call] };
    sendJson(response, 200, successBody(shape, answer), headers);
  },
  "tool-text": ({ shape, response, learned, headers }: Scene): void => {
    const call = { id: "c1", tool: "lookup_order", args: `not JSON ${learned}` };
    sendJson(response, 200, successBody(shape, { toolCalls: [call] }), headers);
  },
} satisfies Record<string, (scene: Scene) => void>;

export type Echo = keyof typeof echoes;

export const echoNames = Object.keys(echoes) as readonly Echo[];

/**
 * A server whose addresses end in the shape and the name of an echo, such as `/openai/401/v1/…`. It tells back what it
 * was told: the key, the headers, its own address with the query, and further secrets, plain, escaped and encoded, so
 * often that wherever a text is cut, a secret is cut.
 */
export async function startEchoingServer(secrets: readonly string[]): Promise<LoopbackServer> {
  return startServer((request, response) => {
    const [, shape, name, filler] = /\/(openai|anthropic)\/([\w-]+)\/f(\d+)\//.exec(request.path) ?? [];
    const echo = echoNames.find((known) => known === name);
    if (echo === undefined || (shape !== "openai" && shape !== "anthropic")) return void response.writeHead(404).end();
    const told = [
      ...secrets,
      JSON.stringify(request.headers),
      String(request.headers.authorization ?? request.headers["x-api-key"]),
      `http://user:${secrets.join(":")}@gateway.example${request.path}`,
      ...secrets.map((secret) => encodeURIComponent(secret)),
      ...secrets.map((secret) => Buffer.from(`user:${secret}`).toString("base64")),
    ].join(" ");
    const [first = ""] = secrets;
    const learned = `${".".repeat(Number(filler))}${Array.from({ length: 15 }, () => secrets.join(" ")).join(" ")} ${told}`;
    const headers = {
      "x-request-id": `req_${encodeURIComponent(first)}`,
      "request-id": `req_${first}`,
      "x-echo": secrets.map((secret) => encodeURIComponent(secret)).join(" "),
    };
    echoes[echo]({ shape, request, response, learned, headers });
  });
}

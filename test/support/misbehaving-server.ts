import { gzipSync } from "node:zlib";
import type { ServerResponse } from "node:http";
import { errorBody, successBody, type ProviderShape } from "../../packages/core/src/__fixtures__/provider-replies.js";
import {
  sendJson,
  startServer,
  type LoopbackServer,
  type ReceivedRequest,
} from "../../packages/core/src/__fixtures__/start-server.js";

/** What a behavior knows when it answers. */
interface Scene {
  shape: ProviderShape;
  request: ReceivedRequest;
  response: ServerResponse;
}

/** The answer that every behavior gives when it is well. */
export const wellText = "Order ORD-1 was delivered.";

/** A name in a top-level domain that is guaranteed not to exist (RFC 6761). */
export const unresolvableUrl = "http://provider.invalid";

const requestIdHeaders = { openai: "x-request-id", anthropic: "request-id" } as const;

function well({ shape, response }: Scene): void {
  sendJson(response, 200, successBody(shape, { text: wellText }), { [requestIdHeaders[shape]]: "req_well" });
}

function fail(status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}) {
  return ({ shape, response }: Scene): void => {
    const ids = { [requestIdHeaders[shape]]: `req_${status}` };
    sendJson(response, status, errorBody(shape, type, message), { ...ids, ...headers });
  };
}

const rateLimited = fail(429, "rate_limit_exceeded", "Rate limit reached for requests", { "retry-after": "1" });

/** Every way in which a provider may behave, by name. */
export const behaviours = {
  well,
  /** Asks for a tool until it is told a result, and answers then. */
  "tool-call-then-text": (scene: Scene) => {
    if (hasToolResult(scene)) return well(scene);
    const toolCalls = [{ id: "call_1", tool: "lookup_order", args: { order_id: "ORD-1" } }];
    sendJson(scene.response, 200, successBody(scene.shape, { toolCalls }));
  },
  "401": fail(401, "authentication_error", "Incorrect API key provided."),
  "403": fail(403, "permission_error", "Your key may not use this model."),
  "429-then-well": (scene: Scene) => (scene.request.number === 1 ? rateLimited(scene) : well(scene)),
  "429-for-ever": rateLimited,
  "429-quota": fail(429, "insufficient_quota", "You exceeded your current quota, please check your plan."),
  "400": fail(400, "invalid_request_error", "The model does not exist."),
  "404": fail(404, "not_found_error", "The model does not exist."),
  "408": fail(408, "timeout_error", "The request took too long."),
  "500": fail(500, "api_error", "The server had an error."),
  "502": fail(502, "api_error", "Bad gateway."),
  "503": fail(503, "overloaded_error", "The engine is overloaded."),
  "529": fail(529, "overloaded_error", "Overloaded"),
  "500-should-retry": fail(500, "api_error", "Try that again.", { "x-should-retry": "true" }),
  "503-should-not-retry": fail(503, "overloaded_error", "Do not come back.", { "x-should-retry": "false" }),
  "not-json": ({ response }: Scene) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end("Internal proxy says hello");
  },
  "empty-body": ({ response }: Scene) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end();
  },
  /** No `choices` for OpenAI, no `content` for Anthropic. */
  "no-choice": ({ shape, response }: Scene) => {
    const body = successBody(shape, { text: wellText });
    sendJson(response, 200, shape === "openai" ? { ...body, choices: [] } : { ...body, content: null });
  },
  /** Promises more bytes than it sends, and closes the connection. */
  "truncated-body": ({ shape, response }: Scene) => {
    const body = JSON.stringify(successBody(shape, { text: wellText }));
    response.writeHead(200, { "content-type": "application/json", "content-length": String(body.length) });
    response.write(body.slice(0, 40), () => response.destroy());
  },
  /** Ends the body properly, but in the middle of the JSON. */
  "half-json": ({ shape, response }: Scene) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(successBody(shape, { text: wellText })).slice(0, 40));
  },
  /** Resets the connection (RST) before any byte of the reply. */
  reset: ({ response }: Scene) => {
    response.socket?.resetAndDestroy();
  },
  /** Closes the connection (FIN) before any byte of the reply. */
  "close-early": ({ response }: Scene) => {
    response.socket?.destroy();
  },
  "never-answers": () => undefined,
  /** Sends the first half of the body and then nothing more. */
  "stalled-body": ({ shape, response }: Scene) => {
    const body = JSON.stringify(successBody(shape, { text: wellText }));
    response.writeHead(200, { "content-type": "application/json", "content-length": String(body.length) });
    response.write(body.slice(0, 40));
  },
  /** Keeps sending, a space every 5 ms, and never comes to an end. */
  "endless-body": ({ response }: Scene) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  },
  gzip: ({ shape, response }: Scene) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync(JSON.stringify(successBody(shape, { text: wellText }))));
  },
  "broken-gzip": ({ response }: Scene) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end("this is no gzip");
  },
  "wrong-content-type": ({ shape, response }: Scene) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(JSON.stringify(successBody(shape, { text: wellText })));
  },
  "html-error": ({ response }: Scene) => {
    response.writeHead(502, { "content-type": "text/html" });
    response.end("<html><head><title>502 Bad Gateway</title></head><body></body></html>");
  },
  redirect: ({ response }: Scene) => {
    response.writeHead(307, { location: "/elsewhere" });
    response.end();
  },
} satisfies Record<string, (scene: Scene) => void>;

export type Behaviour = keyof typeof behaviours;

export interface MisbehavingServer extends LoopbackServer {
  /** What belongs into `base_url` of a provider of this shape. */
  baseUrl: string;
}

/** A loopback server that speaks one provider's wire format and behaves in one named way. */
export async function startMisbehavingServer(behaviour: Behaviour, shape: ProviderShape): Promise<MisbehavingServer> {
  const server = await startServer((request, response) => behaviours[behaviour]({ shape, request, response }));
  return { ...server, baseUrl: shape === "openai" ? `${server.url}/v1` : server.url };
}

function hasToolResult({ shape, request }: Scene): boolean {
  return request.body.includes(shape === "openai" ? '"role":"tool"' : '"tool_result"');
}

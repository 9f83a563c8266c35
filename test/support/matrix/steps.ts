import { errorBody, successBody } from "../../../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson } from "../../../packages/core/src/__fixtures__/start-server.js";
import type { Scene, Step } from "./row.js";

export type Headers = Readonly<Record<string, string>>;

/** The answer that makes the test pass. */
export const wellText = "Order ORD-1 was delivered, says Zoë.";

export function wellBody({ shape }: Pick<Scene, "shape">): string {
  return JSON.stringify(successBody(shape, { text: wellText }));
}

/** The right answer. */
export const well: Step = (scene) => sendJson(scene.response, 200, JSON.parse(wellBody(scene)));

/** Asks for the tool. */
export const callsTool: Step = ({ shape, response }) =>
  sendJson(
    response,
    200,
    successBody(shape, { toolCalls: [{ id: "c1", tool: "lookup_order", args: { order_id: "1" } }] }),
  );

/** Any reply with a body, with the length of it. */
export function reply(
  status: number,
  body: string | Buffer,
  headers: Headers = { "content-type": "application/json" },
): Step {
  return ({ response }) => {
    response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
    response.end(body);
  };
}

/** 200 with this JSON. */
export function json(body: unknown): Step {
  return ({ response }) => sendJson(response, 200, body);
}

/** An error in the provider's shape. */
export function says(status: number, type: string, message: string, headers: Headers = {}): Step {
  return ({ shape, response }) => sendJson(response, status, errorBody(shape, type, message), headers);
}

/** What the error of `says` looks like in the message of an error. */
export function quoted(status: number, type: string, message: string): string {
  return `OpenAI returned ${status}: ${JSON.stringify(errorBody("openai", type, message))}`;
}

/** 429 with headers. */
export function limited(headers: Headers = {}, message = "Slow down, please."): Step {
  return says(429, "rate_limit_exceeded", message, headers);
}

export const unavailable: Step = says(503, "overloaded_error", "Overloaded.");

/** Waits before it does something else. */
export function after(ms: number, step: Step): Step {
  return async (scene) => {
    await scene.clock.sleep(ms);
    await step(scene);
  };
}

/** Does nothing at all, for ever. */
export const never: Step = () => undefined;

/** Cuts the connection: with a reset (RST) or politely (FIN). */
export const resets: Step = ({ response }) => void response.socket?.resetAndDestroy();
export const hangsUp: Step = ({ response }) => void response.socket?.destroy();

/** Bytes that bypass the HTTP server, and then the end of the connection. */
export function raw(bytes: string): Step {
  return ({ response }) => void response.socket?.end(bytes);
}

/** Starts the right answer, and does something else after 40 bytes of it. */
export function halfway(then: Step, headers?: (length: number) => Headers): Step {
  return (scene) =>
    new Promise((resolve) => {
      const body = wellBody(scene);
      scene.response.writeHead(200, {
        "content-type": "application/json",
        ...(headers?.(Buffer.byteLength(body)) ?? { "content-length": String(Buffer.byteLength(body)) }),
      });
      scene.response.write(body.slice(0, 40), () => resolve(then(scene)));
    });
}

/** The right answer in pieces, each after a wait. */
export function trickle(pieces: number, gapMs: number): Step {
  return async (scene) => {
    const body = wellBody(scene);
    const size = Math.ceil(body.length / pieces);
    scene.response.writeHead(200, { "content-type": "application/json" });
    scene.response.flushHeaders();
    for (let start = 0; start < body.length; start += size) {
      await scene.clock.sleep(gapMs);
      if (scene.response.destroyed) return;
      scene.response.write(body.slice(start, start + size));
    }
    scene.response.end();
  };
}

/** Starts a reply, and writes the same again and again, each after a wait. */
export function drips(text: string, gapMs: number, headers: Headers = { "content-type": "application/json" }): Step {
  return async ({ response, clock }) => {
    response.writeHead(200, headers);
    response.flushHeaders();
    while (!response.destroyed) {
      response.write(text);
      await clock.sleep(gapMs);
    }
  };
}

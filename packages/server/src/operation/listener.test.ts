import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createListener, boundTo, listen } from "./listener.js";

const head = "PUT / HTTP/1.1\r\nhost: localhost\r\n";
const soon = { requestTimeout: 100, headersTimeout: 50, connectionsCheckingInterval: 10 };

/** What a server answers to bytes after which nothing more comes. */
async function send(bytes: string, limits?: typeof soon): Promise<string> {
  const server = createListener({ tls: null }, async (request) => new Response(await request.text()), limits);
  if (typeof server === "string") throw new TypeError(server);
  expect(await listen(server, 0, "127.0.0.1")).toBeNull();
  const socket = connect(boundTo(server.address()).port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(bytes);
  const answer = await text(socket);
  server.close();
  return answer;
}

it("cuts off requests whose head or body does not come, and heads that are too large", async () => {
  const [slowHead, slowBody, large] = await Promise.all([
    send(head, soon),
    send(`${head}content-length: 10\r\n\r\nabc`, soon),
    send(`${head}x-large: ${"x".repeat(20_000)}\r\n\r\n`),
  ]);
  expect(slowHead).toMatch(/^HTTP\/1\.1 408 /);
  expect(slowBody).toMatch(/^HTTP\/1\.1 408 /);
  expect(large).toMatch(/^HTTP\/1\.1 431 /);
  // A minute for a request, 10 s of it for its head.
  const usual = createListener({ tls: null }, () => new Response());
  expect(usual).toMatchObject({ requestTimeout: 60_000, headersTimeout: 10_000 });
});

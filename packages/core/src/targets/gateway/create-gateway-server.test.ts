import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createGatewayServer } from "./create-gateway-server.js";

const body = '{"amount":1}';
const head = (length: string): string => `POST /tools/charge HTTP/1.1\r\nHost: x\r\n${length}\r\n`;

async function serving() {
  const handled: string[] = [];
  const gateway = createGatewayServer();
  onTestFinished(() => gateway.close());
  const agent = await gateway.open(async (request) => {
    handled.push(`${request.path} ${request.body}`);
    return { status: 200, body: "ok" };
  });
  if (!agent.success) throw new Error(agent.error.message);
  const { url, token } = agent.data;
  /** Writes the text on a connection of its own and closes that in the middle. */
  const breakOff = async (length: string, text: string, isHalfOpen: boolean): Promise<void> => {
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
    socket.on("error", () => {});
    await once(socket, "connect");
    await new Promise((resolve) =>
      socket.write(`${head(`Authorization: Bearer ${token}\r\n${length}\r\n`)}${text}`, resolve),
    );
    // What was written is on its way; the server sees it before the end of the connection.
    if (isHalfOpen) socket.end();
    else socket.destroySoon();
    socket.resume();
    await once(socket, "close");
  };
  const send = (text: string) =>
    fetch(`${url}/tools/charge`, { method: "POST", body: text, headers: { authorization: `Bearer ${token}` } });
  return { handled, gateway, breakOff, send };
}

it.each<[string, string, string, boolean]>([
  ["12 of 500 bytes", "Content-Length: 500", body, false],
  ["12 of 500 bytes, waiting for the reply", "Content-Length: 500", body, true],
  ["nothing of 500 bytes", "Content-Length: 500", "", false],
  ["a chunk without the last one", "Transfer-Encoding: chunked", `c\r\n${body}\r\n`, false],
  ["half a chunk", "Transfer-Encoding: chunked", `c\r\n${body.slice(0, 6)}`, false],
])("serves no request that breaks off: %s", async (_name, length, text, isHalfOpen) => {
  const { handled, gateway, breakOff, send } = await serving();
  await breakOff(length, text, isHalfOpen);
  expect(await (await send(body)).text()).toBe("ok");
  await gateway.close();
  expect(handled).toEqual([`/tools/charge ${body}`]);
});

it("serves a whole request, with a body and without", async () => {
  const { handled, gateway, send } = await serving();
  await send("");
  await send(body);
  await gateway.close();
  expect(handled).toEqual(["/tools/charge ", `/tools/charge ${body}`]);
});

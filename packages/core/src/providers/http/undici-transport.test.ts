import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../../values/clock.js";
import { defaultRequestTimeouts } from "../provider.js";
import { createUndiciTransport } from "./undici-transport.js";

const never = new AbortController().signal;

describe("createUndiciTransport", () => {
  let connections = 0;
  const server = createServer((request, response) => {
    if (request.url === "/broken") request.socket.destroy();
    else response.end("fine");
  });
  server.on("connection", () => (connections += 1));
  let origin = "";
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it("has as many connections as requests at a time, however many there are", async () => {
    const transport = createUndiciTransport(createSystemClock());
    const request = { url: `${origin}/`, method: "GET" as const, headers: {}, timeouts: defaultRequestTimeouts };
    const work = async (): Promise<void> => {
      for (let count = 0; count < 10; count += 1) {
        expect(await transport.send(request, { signal: never })).toMatchObject({ data: { body: "fine" } });
      }
    };
    await Promise.all([work(), work(), work()]);
    expect(connections).toBe(3);
    expect(await transport.send({ ...request, url: `${origin}/broken` }, { signal: never })).toMatchObject({
      error: { kind: "network" },
    });
    await work();
    expect(connections).toBe(3);
    await transport.close();
  });
});

import type { Client } from "undici";
import { describe, expect, it } from "vitest";
import { createKeptConnections } from "./connections.js";

function open() {
  const log: string[] = [];
  let count = 0;
  const connections = createKeptConnections((origin) => {
    count += 1;
    const name = `${origin}#${count}`;
    log.push(`open ${name}`);
    const client = {
      close: () => log.push(`close ${name}`),
      destroy: async () => void log.push(`destroy ${name}`),
    };
    return client as unknown as Client;
  });
  return { connections, log };
}

describe("createKeptConnections", () => {
  it("opens no more than are in use at a time, for each origin apart", () => {
    const { connections, log } = open();
    const [first, second] = [connections.take("a"), connections.take("a")];
    second.release(true);
    expect(connections.take("a")).toBe(second);
    first.release(true);
    second.release(true);
    expect(connections.take("a")).toBe(second);
    connections.take("b");
    expect(log).toEqual(["open a#1", "open a#2", "open b#3"]);
  });

  it("closes one whose exchange failed", () => {
    const { connections, log } = open();
    connections.take("a").release(false);
    connections.take("a");
    expect(log).toEqual(["open a#1", "close a#1", "open a#2"]);
  });

  it("destroys those in use and the others", async () => {
    const { connections, log } = open();
    connections.take("a");
    connections.take("a").release(true);
    connections.take("a").release(false);
    await connections.destroy();
    expect(log.slice(3)).toEqual(["destroy a#1"]);
  });
});

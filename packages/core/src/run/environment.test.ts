import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startServer } from "../__fixtures__/start-server.js";
import type { HttpTransport } from "../providers/http/transport.js";
import { withRunWorld } from "./environment.js";

const timeouts = { connectMs: 10_000, headersMs: 10_000, idleMs: 10_000, requestMs: 10_000 };

describe("withRunWorld", () => {
  it.each([
    { name: "a result", work: () => Promise.resolve("done"), expected: { status: "fulfilled", value: "done" } },
    {
      name: "a crash",
      work: () => Promise.reject(new Error("broken")),
      expected: { status: "rejected", reason: new Error("broken") },
    },
  ])("closes what is open at $name, the last first, each once", async ({ work, expected }) => {
    const closed: string[] = [];
    const [ended] = await Promise.allSettled([
      withRunWorld({}, async (world) => {
        const close = (name: string) => world.atEnd(async () => closed.push(name));
        close("lock");
        const closeJournal = close("journal");
        close("modules");
        await closeJournal();
        await closeJournal();
        return work();
      }),
    ]);
    expect(ended).toEqual(expected);
    expect(closed).toEqual(["journal", "modules", "lock"]);
  });

  it("closes the others, and ends as the work did, if one cannot be closed", async () => {
    const close = vi.fn(async () => undefined);
    const ended = withRunWorld({}, async (world) => {
      world.atEnd(close);
      world.atEnd(() => Promise.reject(new Error("stuck")));
      return "done";
    });
    expect(await ended).toBe("done");
    expect(close).toHaveBeenCalledOnce();
  });

  it("lets go of its own connections", async () => {
    const server = await startServer((_request, response) => void response.end("hello"));
    onTestFinished(() => server.close());
    await withRunWorld({ env: {} }, async ({ http }) => {
      const request = { method: "GET" as const, url: server.url, headers: {}, timeouts };
      expect(await http.send(request, { signal: new AbortController().signal })).toMatchObject({ success: true });
      expect(await server.openConnections()).toBe(1);
    });
    await vi.waitUntil(async () => (await server.openConnections()) === 0);
  });

  it("leaves the transport of the caller open", async () => {
    const close = vi.fn(async () => undefined);
    const http: HttpTransport = { send: () => Promise.reject(new Error("nothing is sent")), close };
    await withRunWorld({ http }, async () => undefined);
    expect(close).not.toHaveBeenCalled();
  });
});

import { expect, it, onTestFinished } from "vitest";
import { sendJson, startServer } from "../../__fixtures__/start-server.js";
import { createUndiciTransport } from "../../providers/http/undici-transport.js";
import { createSystemClock } from "../../values/clock.js";
import { runForUpload, uploadOf } from "../__fixtures__/uploaded-runs.js";
import { type SentRun, ServerConnection } from "./call-server.js";
import { sendRun } from "./send-run.js";

/** A server that keeps parts, and completes a run of so many parts. */
async function startKeeper(parts: number) {
  const calls: string[] = [];
  const kept = new Set<string>();
  const world = { isBroken: false };
  const server = await startServer(({ method, path }, response) => {
    const call = `${method} ${path.replace(/.*\/runs\/[^/]+/, "")}`;
    calls.push(call);
    const isPart = call.includes("/parts/");
    if (world.isBroken && call.endsWith("/2")) {
      return sendJson(response, 404, { error: "not_found", message: "Run not found", details: {} });
    }
    const isWhole = [...kept].filter((one) => one.includes("/parts/")).length === parts;
    if (call === "POST /complete" && !isWhole) {
      return sendJson(response, 422, { error: "validation_error", message: "Cases are missing", details: {} });
    }
    const isComplete = kept.has("POST /complete");
    if (isPart && isComplete) return sendJson(response, 409, { error: "conflict", message: "complete", details: {} });
    const isKnown = kept.has(call);
    kept.add(call);
    sendJson(response, isKnown ? 200 : 201, call === "POST /complete" ? { state: "complete" } : {});
  });
  onTestFinished(() => server.close());
  return { server, calls, world };
}

it("sends a large run in parts, goes on where it broke off, and skips a run that is complete", async () => {
  const { run, cases } = await uploadOf((await runForUpload()).folder);
  const { server, calls, world } = await startKeeper(3);
  const clock = createSystemClock();
  const http = createUndiciTransport(clock);
  onTestFinished(() => http.close());
  const ports = { http, clock, signal: new AbortController().signal };
  const connection = new ServerConnection({ address: server.url, token: "a-token-of-a-test", isBounded: false }, ports);
  async function* all() {
    yield* cases;
  }
  const send = async (): Promise<SentRun | string> => {
    calls.length = 0;
    const sent = await sendRun(connection, "a/b c", run, all(), { bytes: 1_000_000, cases: 6 });
    return sent.success ? sent.data : sent.error.message;
  };
  world.isBroken = true;
  expect(await send()).toBe("Run not found");
  expect(calls).toEqual(["PUT ", "PUT /parts/1", "PUT /parts/2"]);
  world.isBroken = false;
  // What the server has is the same, so that it takes the rest.
  expect(await send()).toMatchObject({ isKnown: false, url: `${server.url}/r/${run.run}` });
  expect(calls).toEqual(["PUT ", "POST /complete", "PUT /parts/1", "PUT /parts/2", "PUT /parts/3", "POST /complete"]);
  expect(await send()).toMatchObject({ isKnown: true, shortened: [] });
  expect(calls).toEqual(["PUT ", "POST /complete"]);
  expect(server.requests[0]?.path).toBe(`/api/v1/projects/a%2Fb%20c/runs/${run.run}`);
});

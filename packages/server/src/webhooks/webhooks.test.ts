import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { pipeline, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { afterFile } from "../../../core/src/__fixtures__/clean-up.js";
import { sampleUpload, type SampleRun } from "../__fixtures__/sample-upload.js";
import { forgetOtherServers, startTestServer, type TestServer } from "../__fixtures__/test-server.js";
import { applyRetention } from "../database/partitions.js";
import type { Resolve } from "../outbound/send-request.js";
import { Deliverer } from "./deliverer.js";
import { isPublicAddress } from "./public-address.js";

interface Received {
  path: string;
  headers: Record<string, unknown>;
  body: string;
}

/** A receiver whose paths say what it does. */
const receiver = startReceiver();

async function startReceiver() {
  const received: Received[] = [];
  const failures = new Map<string, number>();
  const piece = Buffer.alloc(65_536);
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push({ path, headers: request.headers, body });
      const [, kind = "", times = "0"] = path.split("/");
      const failed = failures.get(path) ?? 0;
      if (kind === "redirect") return response.writeHead(307, { location: "/ok/elsewhere" }).end();
      if (kind === "hang") return;
      if (kind === "flood") return flood();
      if (kind !== "fail" || failed >= Number(times)) return response.writeHead(204).end();
      failures.set(path, failed + 1);
      return response.writeHead(500).end("down");
      function flood(): void {
        // As fast as it is read, until the other side closes the connection: 64 MB at most.
        const pieces = Readable.from(Array.from({ length: 1_000 }, () => piece));
        pipeline(pieces, response, () => {});
      }
    });
  });
  const listen = (host: string): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, host, () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  const port = await listen("127.0.0.1");
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const to = (path: string): readonly Received[] => received.filter((one) => one.path === path);
  return { url: `http://127.0.0.1:${port}`, port, to };
}

interface Started {
  server: TestServer;
  deliverer: Deliverer;
  secret: string;
  webhook: string;
  /** The states of the deliveries, the newest first. */
  states(): Promise<readonly Record<string, unknown>[]>;
  put(run: SampleRun & { more?: object }): Promise<void>;
  deliver(afterMs?: number): Promise<void>;
}

const delivererFor = (
  { opened, clock, logs }: TestServer,
  more: Partial<ConstructorParameters<typeof Deliverer>[0]> = {},
) =>
  new Deliverer({
    database: opened.database,
    now: () => clock.now,
    log: (entry) => logs.push(entry),
    mayConnect: () => true,
    ...more,
  });

async function start(path: string, events: readonly string[] = ["run.completed"]): Promise<Started> {
  const server = await startTestServer({ allowsPrivateWebhooks: true });
  // Tests share a database, and a deliverer sends what is due in all of it.
  await server.opened.database.deleteFrom("webhooks").execute();
  const { url } = await receiver;
  const base = "/projects/shop/webhooks";
  const made = await server.send(base, {
    method: "POST",
    body: { url: path.startsWith("/") ? url + path : path, events },
  });
  expect(made).toMatchObject({ status: 201, json: { events, secret: expect.stringMatching(/^whsec_/) as string } });
  const webhook = String(made.json["id"]);
  const deliverer = delivererFor(server);
  return {
    server,
    deliverer,
    webhook,
    secret: String(made.json["secret"]),
    async states() {
      const { json } = await server.send(`${base}/${webhook}/deliveries`);
      return json["items"] as Record<string, unknown>[];
    },
    async put({ more = {}, ...run }) {
      const upload = sampleUpload(run);
      const body = { ...upload, run: { ...upload.run, ...more } };
      const { status, text } = await server.send(`/projects/shop/runs/${run.run}`, { method: "PUT", body });
      if (status !== 201) throw new Error(text);
    },
    async deliver(afterMs = 0) {
      server.clock.now += afterMs;
      await deliverer.deliverDue();
      await deliverer.settle();
    },
  };
}

const minuteMs = 60_000;

type Verify = (headers: Record<string, unknown>, body: string, secret: string, nowMs: number) => boolean;

/** The function that docs/webhooks.md shows. */
async function exampleOfDocs(): Promise<Verify> {
  const page = await readFile(new URL("../../../../docs/webhooks.md", import.meta.url), "utf8");
  const code = /```js\n([^]*?)```/.exec(page)?.[1] ?? "";
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { isGenuine: Verify };
  return module.isGenuine;
}

describe("a delivery", () => {
  it("has measurements, signed as Standard Webhooks", async () => {
    const path = "/ok/signed";
    const { server, put, deliver, states, secret } = await start(path);
    await put({ run: "r1", cases: [{ name: "a" }, { name: "b", status: "failed" }] });
    await deliver();
    const [got, ...others] = (await receiver).to(path);
    expect(others).toEqual([]);
    const { headers = {}, body = "" } = got ?? {};
    const isGenuine = await exampleOfDocs();
    expect(isGenuine(headers, body, secret, server.clock.now)).toBe(true);
    expect(isGenuine(headers, `${body} `, secret, server.clock.now)).toBe(false);
    expect(isGenuine(headers, body, `whsec_${"A".repeat(43)}=`, server.clock.now)).toBe(false);
    expect(isGenuine(headers, body, secret, server.clock.now + 6 * minuteMs)).toBe(false);
    const id = headers["webhook-id"];
    expect(JSON.parse(got?.body ?? "")).toEqual({
      type: "run.completed",
      timestamp: "2026-02-15T12:00:00.000Z",
      data: {
        project: "shop",
        run: {
          run: "r1",
          url: "http://127.0.0.1:4310/r/r1",
          started_ms: Date.parse("2026-02-15T10:30:00.000Z"),
          branch: "main",
          commit: "abc",
          verdict: "failed",
          interrupted: false,
          passed: 1,
          failed: 1,
          errored: 0,
          skipped: 0,
          pass_rate: 0.5,
          cost_usd: 0.0123,
          p50_ms: 800,
          p95_ms: 900,
        },
      },
    });
    expect(await states()).toMatchObject([
      { state: "delivered", tries: 1, status: 204, next_ms: null, message_id: id },
    ]);
  });

  it("is tried five times within an hour, and again if somebody asks", async () => {
    const path = "/fail/5/times";
    const { server, webhook, put, deliver, states } = await start(path);
    await put({ run: "r1" });
    const began = server.clock.now;
    await deliver();
    for (const [index, minutes] of [1, 5, 15, 35].entries()) {
      await deliver(minutes * minuteMs - 1);
      expect((await receiver).to(path)).toHaveLength(index + 1);
      expect(await states()).toMatchObject([{ state: "waiting", problem: "The receiver answered 500" }]);
      await deliver(1);
      expect((await receiver).to(path)).toHaveLength(index + 2);
    }
    expect(server.clock.now - began).toBe(56 * minuteMs);
    await deliver(60 * minuteMs);
    expect((await receiver).to(path)).toHaveLength(5);
    const [failed] = await states();
    expect(failed).toMatchObject({ state: "failed", tries: 5, status: 500, next_ms: null });
    expect(server.logs.at(-1)).toMatchObject({ level: "warn", code: "webhook_failed", org_id: server.orgId });
    const again = `/projects/shop/webhooks/${webhook}/deliveries/${String(failed?.["id"])}/redeliver`;
    expect(await server.send(again, { method: "POST" })).toMatchObject({
      status: 200,
      json: { state: "waiting", tries: 0 },
    });
    await deliver();
    expect(await states()).toMatchObject([{ state: "delivered", tries: 1, message_id: failed?.["message_id"] }]);
  });

  it("survives a restart, and is sent by one server only", async () => {
    const path = "/ok/once";
    const { server, put, states } = await start(path);
    const runs = Array.from({ length: 12 }, (_, index) => `r${index}`);
    for (const run of runs) await put({ run });
    const servers = Array.from({ length: 8 }, () => delivererFor(server));
    await Promise.all(servers.map((one) => one.deliverDue()));
    await Promise.all(servers.map((one) => one.settle()));
    const sent = (await receiver).to(path).map(({ body }) => /"run":"(r\d+)"/.exec(body)?.[1]);
    expect(sent).toHaveLength(runs.length);
    expect(new Set(sent)).toEqual(new Set(runs));
    expect(await states()).toMatchObject(runs.map(() => ({ state: "delivered", tries: 1 })));
  });

  it("follows no redirect, and gives up on receivers that refuse, hang, or flood", async () => {
    const redirected = await start("/redirect/1");
    await redirected.put({ run: "r1" });
    await redirected.deliver();
    expect(await redirected.states()).toMatchObject([{ state: "waiting", problem: "The receiver answered 307" }]);
    expect((await receiver).to("/ok/elsewhere")).toEqual([]);
    // No program listens on port 9 here.
    const refused = await start("http://127.0.0.1:9/");
    await refused.put({ run: "r1" });
    await refused.deliver();
    expect(await refused.states()).toMatchObject([{ state: "waiting", status: null, problem: "No answer" }]);
    const hanging = await start("/hang/1");
    await hanging.put({ run: "r1" });
    const impatient = delivererFor(hanging.server, { timeoutMs: 50 });
    await impatient.deliverDue();
    await impatient.settle();
    expect(await hanging.states()).toMatchObject([{ state: "waiting", problem: "No answer" }]);
    const stopped = delivererFor(hanging.server);
    hanging.server.clock.now += minuteMs;
    await stopped.deliverDue();
    await stopped.stop();
    expect(await hanging.states()).toMatchObject([{ state: "waiting", tries: 2 }]);
    const flooding = await start("/flood/1");
    await flooding.put({ run: "r1" });
    await flooding.deliver();
    expect(await flooding.states()).toMatchObject([{ state: "delivered", status: 200 }]);
  });

  it("goes when its project keeps it no longer", async () => {
    await forgetOtherServers();
    const { server, put, deliver, states } = await start("/ok/old");
    await put({ run: "r1" });
    await deliver();
    const dayMs = 86_400_000;
    await applyRetention(server.opened.database, server.clock.now + 29 * dayMs);
    expect(await states()).toHaveLength(1);
    await applyRetention(server.opened.database, server.clock.now + 31 * dayMs);
    expect(await states()).toEqual([]);
  });
});

describe("events", () => {
  const all = ["run.completed", "run.failed", "run.regressed", "case.flaky"];

  async function eventsOf(run: SampleRun & { more?: object }, { put, deliver }: Started, path: string) {
    const before = (await receiver).to(path).length;
    await put(run);
    await deliver();
    const sent = (await receiver).to(path).slice(before);
    return sent.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
  }

  it("say that a run failed, and that it regressed against its baseline or the run before it", async () => {
    const path = "/ok/regressed";
    const started = await start(path, all);
    const at = (minutes: number) => new Date(Date.parse("2026-02-15T10:00:00Z") + minutes * minuteMs).toISOString();
    const types = async (run: SampleRun & { more?: object }) =>
      (await eventsOf(run, started, path)).map(({ type }) => type);
    const failing = [{ name: "a", status: "failed" as const, agent: "agent-2" }];
    expect(await types({ run: "r1", startedAt: at(1), branch: "fix", cases: failing })).toEqual([
      "run.completed",
      "run.failed",
    ]);
    expect(await types({ run: "r2", startedAt: at(2) })).toEqual(["run.completed"]);
    const regressed = await eventsOf({ run: "r3", startedAt: at(3), cases: failing }, started, path);
    expect(regressed.map(({ type }) => type)).toEqual(["run.completed", "run.failed", "run.regressed"]);
    expect(regressed[2]?.data["regression"]).toEqual({ against: "run", run: "r2" });
    expect(await types({ run: "r4", startedAt: at(4), cases: failing })).toEqual(["run.completed", "run.failed"]);
    const compared = (verdict: string) => ({
      comparison: {
        verdict,
        suites: [
          {
            suite: "refunds",
            status: "compared",
            verdict,
            alpha: 0.05,
            margin: 0,
            cases: 1,
            noisyCases: 0,
            clusters: 1,
            meanDifference: -0.5,
            interval: [-0.7, -0.3],
            p: 0.01,
            baseline: { setAt: at(0), commit: null, kindlm: "0.1.0", passed: 1, failed: 0 },
            worse: [
              {
                caseId: "refunds/a@gpt",
                critical: false,
                p: 0.01,
                baseline: { passes: 2, trials: 2 },
                candidate: { passes: 1, trials: 2 },
              },
            ],
            better: [],
            added: 0,
            removed: 0,
            changedChecks: 0,
            uncompared: 0,
          },
        ],
      },
    });
    const [, event] = await eventsOf({ run: "r5", startedAt: at(5), more: compared("regressed") }, started, path);
    expect(event).toMatchObject({
      type: "run.regressed",
      data: {
        regression: {
          against: "baseline",
          suites: [{ suite: "refunds", mean_difference: -0.5, p: 0.01 }],
          cases: ["refunds/a@gpt"],
        },
      },
    });
    expect(await types({ run: "r6", startedAt: at(6), cases: failing, more: compared("inconclusive") })).toEqual([
      "run.completed",
      "run.failed",
    ]);
  });

  it("name cases that become flaky, once", async () => {
    const path = "/ok/flaky";
    const started = await start(path, ["case.flaky"]);
    const run = (id: string, cases: SampleRun["cases"]) => eventsOf({ run: id, cases: cases ?? [] }, started, path);
    expect(await run("r1", [{ name: "a" }, { name: "b" }, { name: "c" }])).toEqual([]);
    // Another agent may fail.
    expect(await run("r2", [{ name: "a" }, { name: "b", status: "failed", agent: "agent-2" }])).toEqual([]);
    const [event] = await run("r3", [
      { name: "a", status: "failed" },
      { name: "c", passes: 1 },
    ]);
    expect(event?.data["cases"]).toEqual([
      { case_id: "refunds/a@gpt", passes: 0, counted: 2 },
      { case_id: "refunds/c@gpt", passes: 1, counted: 2 },
    ]);
    expect(await run("r4", [{ name: "a" }, { name: "c", passes: 1 }])).toEqual([]);
  });
});

describe("an address", () => {
  it("must be public, with HTTPS, when it is named and when it is connected to", async () => {
    const server = await startTestServer();
    const post = (url: string) =>
      server.send("/projects/shop/webhooks", { method: "POST", body: { url, events: ["run.failed"] } });
    const refused = (message: string) => ({ status: 422, json: { error: "validation_error", message } });
    expect(await post("http://example.com/")).toMatchObject(refused("The address must begin with https://"));
    expect(await post("https://me:secret@example.com/")).toMatchObject(
      refused("The address must not contain a password"),
    );
    const addresses = ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254"];
    for (const host of [...addresses, "localhost", "LOCALHOST.", "db.localhost"]) {
      expect(await post(`https://${host}/`), host).toMatchObject(refused("The address is not a public one"));
    }
    expect(await post("ftp://example.com/")).toMatchObject(refused("The body of the request is not valid"));
    expect(await post("https://notlocalhost.example.com/x")).toMatchObject({ status: 201 });
  });

  it.each(["127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "0.0.0.0"])(
    "that turns out to be %s is not connected to",
    async (address) => {
      const path = `/ok/rebound-${address.length}`;
      const { port, to } = await receiver;
      const { server, put, states } = await start(`http://hooks.example.com:${port}${path}`);
      await put({ run: "r1" });
      const family = address.includes(":") ? 6 : 4;
      // A public address next to it does not help.
      const resolve: Resolve = (_host, _options, callback) =>
        callback(null, [
          { address, family },
          { address: "8.8.8.8", family: 4 },
        ]);
      const deliverer = delivererFor(server, { resolve, mayConnect: isPublicAddress });
      await deliverer.deliverDue();
      await deliverer.settle();
      expect(to(path)).toEqual([]);
      expect(await states()).toMatchObject([{ state: "waiting", problem: "The receiver is not at a public address" }]);
    },
  );

  it("is the one that was checked, whatever the name server says next", async () => {
    const path = "/ok/resolved-once";
    const { port, to } = await receiver;
    const { server, put, states } = await start(`http://hooks.example.com:${port}${path}`);
    await put({ run: "r1" });
    // The second answer is an address that the first check would have refused.
    const answers = ["127.0.0.1", "127.0.0.2"];
    let asked = 0;
    const resolve: Resolve = (_host, _options, callback) => {
      const address = answers[Math.min(asked, 1)] ?? "";
      asked += 1;
      callback(null, [{ address, family: 4 }]);
    };
    const deliverer = delivererFor(server, { resolve, mayConnect: (address) => address === "127.0.0.1" });
    await deliverer.deliverDue();
    await deliverer.settle();
    expect({ asked, received: to(path).length }).toEqual({ asked: 1, received: 1 });
    expect(await states()).toMatchObject([{ state: "delivered" }]);
  });
});

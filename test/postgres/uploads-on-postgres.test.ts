import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { runForUpload, uploadOf } from "../../packages/core/src/upload/__fixtures__/uploaded-runs.js";
import { sampleUpload } from "../../packages/server/src/__fixtures__/sample-upload.js";
import { newDatabase } from "../support/new-database.js";
import { sendTo, setUpServer, startServerProcess } from "../support/started-server.js";

const run = promisify(execFile);
const pathOf = (name: string): string => `/api/v1/projects/shop/runs/${name}`;

it("logs a name with line breaks as one line, and nothing of what went wrong in the answer", async () => {
  const url = await newDatabase();
  const server = await startServerProcess({ cwd: makeProject({}), args: ["--database", url] });
  const send = sendTo(server.origin, await setUpServer(server));
  await run("psql", [url, "-qc", "alter table runs rename to runs_gone"]);
  const forged = 'x\r\n{"level":"info","code":"forged","message":"all is well"}\n\u001B[2J';
  const answer = await send("GET", pathOf(encodeURIComponent(forged)));
  const json = { error: "UNKNOWN_ERROR", message: "Unexpected server error", details: {} };
  expect(answer).toMatchObject({ status: 500, json });
  server.child.kill("SIGTERM");
  await server.ended;
  const lines = server.stdout().trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as { code: string; run_id?: string });
  expect(entries.find(({ code }) => code === "UNKNOWN_ERROR")?.run_id).toBe(forged);
  expect(entries.map(({ code }) => code)).not.toContain("forged");
  expect(server.stdout()).not.toContain("\u001B");
});

it(
  "takes 50 connections, the same run eight times at once, and a thousand runs of eight clients, without a 5xx",
  { timeout: 300_000 },
  async () => {
    const url = await newDatabase();
    const server = await startServerProcess({ cwd: makeProject({}), args: ["--database", url] });
    const owner = sendTo(server.origin, await setUpServer(server));
    // Each token may write 240 times in a minute.
    const made = await Promise.all(
      Array.from({ length: 8 }, () =>
        owner("POST", "/api/v1/tokens", { name: "ci", scopes: ["runs:write", "runs:read"] }),
      ),
    );
    const clients = made.map(({ json }) => sendTo(server.origin, String(json["token"] ?? json["access_token"])));
    const cases = Array.from({ length: 20 }, (_, index) => ({ name: `case-${index}` }));
    const upload = async (client: number, name: string): Promise<number> => {
      const own = client % 2 === 0 ? cases : cases.toReversed();
      const send = clients[client % 8] ?? owner;
      return (await send("PUT", pathOf(name), sampleUpload({ run: name, cases: own }))).status;
    };
    const same = await Promise.all(Array.from({ length: 8 }, (_, index) => upload(index - (index % 2), "same")));
    expect(same.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    const atOnce = await Promise.all(Array.from({ length: 50 }, (_, index) => upload(index, `at-once-${index}`)));
    expect(new Set(atOnce)).toEqual(new Set([201]));
    const statuses = await Promise.all(
      clients.map(async (_, client) => {
        const found: number[] = [];
        for (let count = 0; count < 125; count += 1) found.push(await upload(client, `r${client}-${count}`));
        return found;
      }),
    );
    expect(new Set(statuses.flat())).toEqual(new Set([201]));
    const { stdout } = await run("psql", [
      url,
      "-Atc",
      "select count(*), count(distinct run_id), (select sum(runs) from case_days), (select count(*) from uncounted_runs) from case_results",
    ]);
    const [rows, runs, summed, uncounted] = stdout.trim().split("|").map(Number);
    expect([rows, runs, (summed ?? 0) + (uncounted ?? 0) * 20]).toEqual([1_051 * 20, 1_051, 1_051 * 20]);
  },
);

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

it("answers 503 while another server migrates its database", { timeout: 60_000 }, async () => {
  const url = await newDatabase();
  const migrating = spawn("psql", [url, "-qAt"], { stdio: ["pipe", "pipe", "inherit"] });
  migrating.stdin.write("select pg_advisory_lock(431043104) is not null;\n");
  await once(migrating.stdout, "data");
  const port = await findFreePort();
  const send = sendTo(`http://127.0.0.1:${port}`);
  const starting = startServerProcess({ cwd: makeProject({}), args: ["--database", url, "--port", String(port)] });
  const answered = await vi.waitFor(() => send("GET", "/api/v1/me"), { timeout: 30_000 });
  expect(answered).toEqual({
    status: 503,
    json: { error: "unavailable", message: "The server is starting", details: {} },
  });
  expect((await send("GET", "/healthz")).status).toBe(503);
  migrating.stdin.end();
  const server = await starting;
  expect(server.stdout()).not.toContain("--origin");
  expect((await send("GET", "/healthz")).status).toBe(200);
  server.child.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

it("makes one run of the shards of a build that come at the same moment", { timeout: 120_000 }, async () => {
  const server = await startServerProcess({ cwd: makeProject({}), args: ["--database", await newDatabase()] });
  const send = sendTo(server.origin, await setUpServer(server));
  const ran = await Promise.all([1, 2, 3].map((index) => runForUpload({ index, of: 3 })));
  const shards = await Promise.all(ran.map(({ folder }) => uploadOf(folder)));
  // Not every build has shards whose transactions overlap.
  const builds = Array.from({ length: 20 }, (_, build) =>
    shards.map((shard) => ({
      run: { ...shard.run, run: `${shard.run.run}-${build}`, ciAttempt: `${build}` },
      cases: shard.cases,
    })),
  );
  const answers = await Promise.all(builds.flat().map((upload) => send("PUT", pathOf(upload.run.run), upload)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const { json } = await send("GET", "/api/v1/projects/shop/runs");
  expect(json["items"]).toMatchObject(builds.map(() => ({ shard_of: null })));
});

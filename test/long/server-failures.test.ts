import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { sampleUpload } from "../../packages/server/src/__fixtures__/sample-upload.js";
import { findStarter } from "../support/find-starter.js";
import { selfSigned } from "../support/matrix/self-signed.js";
import { sendTo, serverProgram, setUpServer, startServerProcess } from "../support/started-server.js";

const node = [process.execPath, serverProgram];
const namespaces = [
  ["unshare", "-m"],
  ["unshare", "-rm"],
];
const mounter = findStarter(namespaces, ["mount", "-t", "tmpfs", "none", "/mnt"]);
/** A disk of some megabytes at `disk` below the folder of the test, which is gone with the process. */
const onSmallDisk = (size: string, ...command: readonly string[]): readonly string[] => [
  ...(mounter ?? []),
  "bash",
  "-c",
  `mount -t tmpfs -o size=${size},mode=700 none disk && exec "$@"`,
  "bash",
  ...command,
];

async function refused(cwd: string, args: readonly string[] = [], more: object = {}): Promise<string> {
  const server = await startServerProcess({ cwd, args, ...more });
  expect(await server.ended).toBe(1);
  expect(server.origin).toBe("");
  return server.stderr();
}

describe("the server does not start, and says what to do", () => {
  it("on a port that is in use, for itself or for metrics", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const cwd = makeProject({});
    expect(await refused(cwd, ["--port", String(port)])).toBe(
      `✗ Could not listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n  Stop the program that uses the port, or choose another one with --port\n`,
    );
    expect(await refused(cwd, ["--metrics-port", String(port)])).toMatch(/^✗ Could not listen on .* for metrics: /);
    // Neither start has left the folder locked.
    expect(readdirSync(join(cwd, "kindlm-data"))).toEqual(["database"]);
  });

  it("in a folder that it cannot write, or that others can read", async () => {
    const cwd = makeProject({});
    mkdirSync(join(cwd, "closed"), { mode: 0o500 });
    mkdirSync(join(cwd, "open"), { mode: 0o755 });
    const through = findStarter(
      [[], ["setpriv", "--bounding-set=-dac_override"]],
      ["test", "!", "-w", join(cwd, "closed")],
    );
    const command = [...(through ?? []), ...node];
    expect(await refused(cwd, ["--data", "closed/data"], { command })).toMatch(
      /^✗ The folder of the database cannot be written: EACCES.*\n  Change its owner or its permissions, or choose another folder with --data\n$/,
    );
    expect(await refused(cwd, ["--data", "open"])).toBe(
      "✗ open is accessible to other users: run chmod 700 open\n  Only its owner may open it\n",
    );
  });

  it("with files that are no certificate, or without one where others can reach it", async () => {
    const cwd = makeProject({ "cert.pem": "no certificate", "key.pem": selfSigned.key });
    expect(await refused(cwd, ["--tls-cert", "cert.pem", "--tls-key", "key.pem"])).toMatch(
      /^✗ --tls-cert cert\.pem and --tls-key key\.pem cannot be used: /,
    );
    expect(await refused(cwd, ["--host", "0.0.0.0"])).toMatch(/^✗ --host 0\.0\.0\.0 is open to others: add --tls-cert/);
  });

  it("if the database does not flush", async () => {
    // A PGlite whose files take no other functions, as another version might.
    const ofServer = createRequire(new URL("../../packages/server/package.json", import.meta.url));
    const files = new URL("nodefs.js", pathToFileURL(ofServer.resolve("@electric-sql/pglite/nodefs")));
    const cwd = makeProject({
      "other-version.mjs": `import { NodeFS } from ${JSON.stringify(files.href)};
const { init } = NodeFS.prototype;
NodeFS.prototype.init = async function (...args) {
  const made = await init.apply(this, args);
  const { preRun } = made.emscriptenOpts;
  Object.defineProperty(made.emscriptenOpts, "preRun", { get: () => preRun, set() {} });
  return made;
};
`,
    });
    const command = [process.execPath, "--import", join(cwd, "other-version.mjs"), serverProgram];
    expect(await refused(cwd, [], { command })).toBe(
      "✗ The embedded database does not flush what it writes to the disk\n  Install the version of @electric-sql/pglite that @kindlm/server names, or use PostgreSQL\n",
    );
  });

  it("next to a server of another machine that uses the folder", async () => {
    const cwd = makeProject({});
    mkdirSync(join(cwd, "kindlm-data"), { mode: 0o700 });
    const lock = join(cwd, "kindlm-data", "server.lock");
    writeFileSync(lock, "1\nelsewhere\n1\n");
    const touching = setInterval(() => writeFileSync(lock, "1\nelsewhere\n1\n"), 500);
    onTestFinished(() => clearInterval(touching));
    expect(await refused(cwd)).toMatch(/^✗ kindlm-data is in use by process 1 on elsewhere\n/);
    clearInterval(touching);
    const server = await startServerProcess({ cwd });
    expect(server.origin).not.toBe("");
  });
});

it("starts anew if its first start was interrupted", async () => {
  const cwd = makeProject({ "kindlm-data/database/PG_VERSION": "18\n", "kindlm-data/database.unfinished": "" });
  spawnSync("chmod", ["700", join(cwd, "kindlm-data")]);
  const server = await startServerProcess({ cwd });
  await setUpServer(server);
  expect(existsSync(join(cwd, "kindlm-data", "database.unfinished"))).toBe(false);
});

it("speaks TLS, and takes the address of a client from its proxies only", async () => {
  const cwd = makeProject({ "cert.pem": selfSigned.cert, "key.pem": selfSigned.key });
  const args = ["--tls-cert", "cert.pem", "--tls-key", "key.pem", "--trust-proxy", "127.0.0.0/8", "--host", "0.0.0.0"];
  const server = await startServerProcess({ cwd, args: [...args, "--origin", "https://localhost"] });
  const port = await portOf(server.child.pid ?? 0);
  const statusOf = (forwarded: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { host: "localhost", "x-forwarded-for": forwarded };
      const request = get({ port, host: "127.0.0.1", path: "/api/v1/me", ca: selfSigned.cert, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on("error", reject);
    });
  // 30 requests without a token in a minute: what the client writes in front does not make it another one.
  for (let count = 0; count < 30; count += 1) expect(await statusOf(`10.0.0.${count}, 203.0.113.9`)).toBe(401);
  expect(await statusOf("10.0.0.99, 203.0.113.9")).toBe(429);
  expect(await statusOf("203.0.113.10")).toBe(401);
});

/** The port that a process of Linux listens on. */
async function portOf(pid: number): Promise<number> {
  const { stdout } = spawnSync("sh", ["-c", `ss -ltnpH | grep "pid=${pid}," | awk '{print $4}'`], { encoding: "utf8" });
  const port = Number(/:(\d+)\s*$/.exec(stdout)?.[1]);
  return Number.isNaN(port) ? portFromProc(pid) : port;
}

function portFromProc(pid: number): number {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const { stdout } = spawnSync("readlink", [`/proc/${pid}/fd/${fd}`], { encoding: "utf8" });
      return /socket:\[(\d+)\]/.exec(stdout)?.[1] ?? [];
    }),
  );
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  const own = rows
    .map((row) => row.trim().split(/\s+/))
    .find((cells) => cells[3] === "0A" && inodes.has(cells[9] ?? ""));
  return Number.parseInt(own?.[1]?.split(":")[1] ?? "0", 16);
}

describe.runIf(mounter !== null)("a disk that is full", () => {
  it("is a message at the start", async () => {
    const cwd = makeProject({ "disk/.keep": "" });
    const said = await refused(cwd, ["--data", "disk/data"], { command: onSmallDisk("8m", ...node) });
    expect(said).toMatch(/^✗ (The embedded database did not start|The disk of the database is full): /);
    expect(said).toContain("ree space");
  });

  it("is 503 while the server runs, which then works again by itself", async () => {
    const cwd = makeProject({ "disk/.keep": "" });
    const server = await startServerProcess({
      cwd,
      command: onSmallDisk("110m", ...node),
      args: ["--data", "disk/data"],
    });
    // In the namespace of the server: as much as leaves room for a few uploads.
    const disk = `/proc/${server.child.pid}/root${cwd}/disk`;
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize - 8_000_000));
    const token = await setUpServer(server);
    const send = sendTo(server.origin, token);
    const made = await send("POST", "/api/v1/tokens", { name: "reader", scopes: ["runs:read"] });
    // It was never used, and its first use is noted.
    const read = sendTo(server.origin, String(made.json["token"]));
    const cases = Array.from({ length: 400 }, (_, index) => ({ name: `case-${index}`, agent: "a".repeat(60) }));
    const put = (run: string) => send("PUT", `/api/v1/projects/shop/runs/${run}`, sampleUpload({ run, cases }));
    const stored: string[] = [];
    let answer = await put("r0");
    for (let count = 1; answer.status === 201 && count < 230; count += 1) {
      stored.push(`r${count - 1}`);
      answer = await put(`r${count}`);
    }
    expect(answer).toEqual({
      status: 503,
      json: { error: "unavailable", message: "The disk of the database is full", details: {} },
    });
    expect(server.stdout()).toMatch(
      /"level":"error","code":"unavailable","message":"The disk of the database is full: .*"org_id":"org_.*"run_id":"r\d+"/,
    );
    const reads = ["/runs", "/flaky", "/trends?suite=refunds", `/runs/${stored[0]}/cases`];
    for (const path of reads)
      expect(await read("GET", `/api/v1/projects/shop${path}`), path).toMatchObject({ status: 200 });
    rmSync(join(disk, "filler"));
    expect(await put("after")).toMatchObject({ status: 201 });
    const listed = await send("GET", "/api/v1/projects/shop/runs?most=200");
    const runs = (listed.json["items"] as { run: string }[]).map(({ run }) => run);
    expect(new Set(runs)).toEqual(new Set(["after", ...stored.slice(-199), ...(stored.length < 200 ? stored : [])]));
  });

  it("does not end the database when its log cannot grow, and loses nothing that was stored", () => {
    const pool = new URL("../../packages/server/build/database/pglite-pool.js", import.meta.url).href;
    const cwd = makeProject({
      "disk/.keep": "",
      "fill.mjs": `import { execFileSync } from "node:child_process";
import { rmSync, truncateSync, statSync } from "node:fs";
import { PglitePool } from ${JSON.stringify(pool)};
const pool = new PglitePool("disk/db");
const ask = async (sql) => {
  const client = await pool.connect();
  try { return (await client.query(sql, [])).rows; } catch (error) { return error.code; } finally { client.release(); }
};
await ask("create table t (a int, b text)");
await ask("insert into t select i, repeat('x', 500) from generate_series(1, 2000) i");
try { execFileSync("sh", ["-c", "cat /dev/zero > disk/filler"], { stdio: "ignore" }); } catch {}
truncateSync("disk/filler", statSync("disk/filler").size - 6_000_000);
let [done, code] = [0, null];
for (; done < 60 && code === null; done += 1) {
  const answer = await ask("update t set a = a + 1");
  code = typeof answer === "string" ? answer : null;
  if (code === null) await ask("vacuum t");
}
const full = await ask("select 1").catch(() => "refused");
rmSync("disk/filler");
const [row] = await ask("select count(*)::int as count, min(a) as first from t");
console.log(JSON.stringify({ code, full: full === "refused" || Array.isArray(full), count: row.count, isWhole: row.first === done }));
await pool.end();
`,
    });
    const [program = "", ...words] = onSmallDisk("90m", process.execPath, "fill.mjs");
    const ran = spawnSync(program, words, { cwd, encoding: "utf8" });
    expect(JSON.parse(ran.stdout)).toEqual({ code: "53100", full: true, count: 2000, isWhole: true });
  });
});

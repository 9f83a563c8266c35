import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { createSystemClock, type Clock } from "../packages/core/src/values/clock.js";
import { sampleUpload } from "../packages/server/src/__fixtures__/sample-upload.js";
import { repository, runCli } from "./support/run-cli.js";
import { briefly, cliPath } from "./support/start-cli.js";
import { owner, sendTo, serverProgram, setUpServer, startServerProcess } from "./support/started-server.js";

/** The server is not given options for Node, and half of its start would be to optimize PostgreSQL. */
const withoutOptimizer = `data:text/javascript,${encodeURIComponent('import { setFlagsFromString } from "node:v8"; setFlagsFromString("--liftoff-only");')}`;

/** As a user of the command line starts it. */
function startByCommand(cwd: string, port = 0): ReturnType<typeof startServerProcess> {
  mkdirSync(join(cwd, "node_modules", "@kindlm"), { recursive: true });
  const installed = join(cwd, "node_modules", "@kindlm", "server");
  symlinkSync(join(repository, "packages", "server"), installed, "junction");
  return startServerProcess({
    cwd,
    command: [process.execPath, cliPath, "server"],
    args: ["--port", String(port)],
    env: { NODE_OPTIONS: `--import=${withoutOptimizer}` },
  });
}

/** Loaded by a server: it lists the files and folders that are flushed by name, and what is removed. */
const tracer = `import fs, { appendFileSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const { open } = promises;
const { rmSync } = fs;
const note = (what, path) => appendFileSync("traced", JSON.stringify([what, path]) + "\\n");
promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  const sync = handle.sync.bind(handle);
  handle.sync = () => sync().then(() => note("flushed", path));
  return handle;
};
fs.rmSync = (path, options) => {
  rmSync(path, options);
  note("removed", path);
};
syncBuiltinESMExports();
`;

/** What a traced server did, with paths below its folder. */
const tracedIn = (folder: string): (readonly [what: string, path: string])[] =>
  readFileSync(join(folder, "traced"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as [string, string])
    .map(([what, path]) => [what, relative(join(folder, "kindlm-data"), join(folder, path))]);

const project = {
  "kindlm.yaml": `version: 1
project: shop
models: [{ id: m, provider: scripted, script: { otherwise: { text: answer-canary hello } } }]
suites: [{ name: s, tests: [{ name: a, input: prompt-canary, assert: [{ type: contains, value: hello }] }] }]
`,
};

function filesIn(folder: string, below: string): string[] {
  return readdirSync(join(folder, "kindlm-data", "database", below)).map((name) => join(below, name));
}

function textsIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => readFileSync(file, "latin1"));
}

// test/long/server-failures.test.ts has what a server does when something is wrong.
it("starts with one command, has its folder alone, and gets each run once from people who log in, though it or its command is killed", async () => {
  const folder = makeProject({ "tracer.mjs": tracer });
  const traced = ["--import", pathToFileURL(join(folder, "tracer.mjs")).href];
  const command = [process.execPath, ...briefly, ...traced, serverProgram];
  const server = await startServerProcess({ cwd: folder, command });
  const { origin } = server;
  // Power that fails leaves a whole database, or the mark of half a one.
  const done = tracedIn(folder);
  const [start, end] = [
    ["flushed", ""],
    ["removed", "database.unfinished"],
  ].map((one) => done.findIndex((step) => step.join() === one.join()));
  expect(start).toBe(0);
  expect(done[(end ?? 0) + 1]).toEqual(["flushed", ""]);
  const flushed = new Set(done.slice(0, end).map(([, path]) => path));
  const unpacked = ["PG_VERSION", "global", ...filesIn(folder, "global"), ...filesIn(folder, "base")];
  expect(unpacked.length).toBeGreaterThan(20);
  expect(unpacked.filter((path) => !flushed.has(join("database", path)))).toEqual([]);
  expect(statSync(join(folder, "kindlm-data")).mode & 0o777).toBe(0o700);
  expect(await sendTo(origin)("GET", "/healthz")).toMatchObject({ status: 200, json: { status: "ok" } });
  const second = await startServerProcess({ cwd: folder });
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toBe(
    `✗ kindlm-data is in use by process ${server.child.pid}\n  Stop that process, or choose another folder with --data. Several servers need PostgreSQL\n`,
  );
  const token = await setUpServer(server);

  const cwd = makeProject(project);
  const flags = ["--server", origin];
  let approved: Promise<unknown> | null = null;
  // Nobody waits for the 5 s between two questions, while the server has all its time for an answer.
  const system = createSystemClock();
  const clock: Clock = { ...system, sleep: (ms, signal) => system.sleep(ms / 40, signal) };
  const login = await runCli(["login", ...flags], {
    cwd,
    clock,
    onStderr(text) {
      const code = /Code: +(\S+)/.exec(text)?.[1];
      if (code === undefined) return;
      approved ??= sendTo(origin)("POST", "/api/v1/auth/approve", { user_code: code, ...owner });
    },
  });
  expect(login).toMatchObject({ code: 0, stdout: `Logged in to ${origin}: ${owner.email}, Acme\n` });
  const env = { KINDLM_SERVER: origin };
  const first = await runCli(["test", "--upload"], { cwd, env });
  expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(`Uploaded: ${origin}/r/`)]);
  const refused = await runCli(["upload", "--transcripts"], { cwd, env });
  expect(refused.stderr).toContain('✗ Project "shop" does not accept messages\n');
  const acknowledged = "/api/v1/projects/shop/runs/run-1";
  const upload = await sendTo(origin, token)("PUT", acknowledged, sampleUpload({ run: "run-1" }));
  expect(upload).toMatchObject({ status: 201 });
  server.child.kill("SIGKILL");
  await server.ended;

  const kept = await runCli(["test", "--upload"], { cwd, env, clock });
  expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining("Kept for later: kindlm upload --pending\n")]);
  const again = await startByCommand(folder, Number(new URL(origin).port));
  expect([again.origin, again.stderr()]).toEqual([origin, ""]);
  const shown = await sendTo(origin, token)("GET", `${acknowledged}/cases`);
  expect(shown).toMatchObject({ status: 200, json: { items: [{}], next: null } });
  const pending = await runCli(["upload", "--pending"], { cwd, env });
  expect(pending).toMatchObject({ code: 0 });
  const listed = await runCli(["runs", "--remote", "--json"], { cwd, env });
  const uploaded = { verdict: "passed" };
  expect(JSON.parse(listed.stdout)).toMatchObject([uploaded, uploaded, { ...uploaded, id: "run-1" }]);
  expect((await runCli(["upload"], { cwd, env })).stderr).toContain("Was uploaded before: ");
  expect((await runCli(["logout", ...flags], { cwd })).code).toBe(0);
  expect((await runCli(["whoami"], { cwd, env })).stderr).toContain("✗ Not logged in to ");

  // The server, which holds the output of the command that started it until its own end, stops if that is killed.
  again.child.kill("SIGKILL");
  await again.ended;
  expect(again.stdout()).toContain('"code":"stopping"');
  for (const line of again.stdout().trim().split("\n")) {
    expect(JSON.parse(line)).toMatchObject({ level: "info", timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
  }
  expect(server.stdout() + again.stdout()).not.toContain(token);
  const written = textsIn(join(folder, "kindlm-data"));
  expect(written.some((text) => text.includes("s/a@m"))).toBe(true);
  expect(written.some((text) => text.includes("canary"))).toBe(false);
}, 180_000);

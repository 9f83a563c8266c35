import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { createSystemClock } from "../packages/core/src/values/clock.js";
import { createAcceleratedClock } from "../packages/core/src/values/fast-clocks.js";
import { repository, runCli } from "./support/run-cli.js";

const bin = join(repository, "packages/server/dist/bin.js");

const config = (check: string): string => `version: 1
project: shop
models: [{ id: m, provider: scripted, script: { otherwise: { text: answer-canary hello } } }]
suites: [{ name: s, tests: [{ name: a, input: prompt-canary, assert: [{ type: contains, value: ${check} }] }] }]
`;

interface Running {
  url: string;
  /** Of the setup link; null if there is none. */
  secret: string | null;
  stop(signal: NodeJS.Signals): Promise<unknown>;
}

/** The real server as a process, with its embedded database. */
async function startServer(folder: string, port = 0): Promise<Running> {
  const child = spawn(process.execPath, [bin, "--data", folder, "--port", String(port)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const stop = (signal: NodeJS.Signals): Promise<unknown> => {
    child.kill(signal);
    return exited;
  };
  onTestFinished(async () => void (await stop("SIGKILL")));
  let text = "";
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      text += chunk.toString("utf8");
      const url = /Listening on (http:[^"\s]+)/.exec(text)?.[1];
      const secret = /(kls_[\w-]+)/.exec(text)?.[1] ?? null;
      if (url !== undefined && (secret !== null || port !== 0)) resolve({ url, secret, stop });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then(() => reject(new Error(text)));
  });
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function post(url: string, body: object, token?: string): Promise<Record<string, unknown>> {
  const headers = {
    "content-type": "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as Record<string, unknown>;
}

it("a person logs in, uploads while the server comes and goes, and each run arrives once", async () => {
  const folder = makeProject({});
  const server = await startServer(folder);
  const { url, secret } = server;
  const api = `${url}/api/v1`;
  const person = { email: "ada@example.com", password: "correct horse battery" };
  const owner = await post(`${api}/auth/setup`, { secret, organization: "acme", ...person });
  await post(`${api}/projects`, { name: "shop" }, String(owner["access_token"]));

  const cwd = makeProject({ "kindlm.yaml": config("hello") });
  const flags = ["--server", url];
  let approved: Promise<unknown> | null = null;
  // Nobody waits for the 5 s between two questions.
  const clock = createAcceleratedClock(createSystemClock(), 10);
  const login = await runCli(["login", ...flags], {
    cwd,
    clock,
    onStderr(text) {
      const code = /Code: +(\S+)/.exec(text)?.[1];
      if (code !== undefined) approved ??= post(`${api}/auth/approve`, { user_code: code, ...person });
    },
  });
  expect(login).toMatchObject({ code: 0, stdout: `Logged in to ${url}: ada@example.com, acme\n` });
  const env = { KINDLM_SERVER: url };
  const first = await runCli(["test", "--upload"], { cwd, env });
  expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(`Uploaded: ${url}/r/`)]);
  const refused = await runCli(["upload", "--transcripts"], { cwd, env });
  expect(refused.stderr).toContain('✗ Project "shop" does not accept messages\n');

  await server.stop("SIGKILL");
  const kept = await runCli(["test", "--upload"], { cwd, env, clock });
  expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining("Kept for later: kindlm upload --pending\n")]);
  const again = await startServer(folder, Number(new URL(url).port));
  const pending = await runCli(["upload", "--pending"], { cwd, env });
  expect(pending).toMatchObject({ code: 0 });
  const listed = await runCli(["runs", "--remote", "--json"], { cwd, env });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ verdict: "passed" }, { verdict: "passed" }]);
  expect((await runCli(["upload"], { cwd, env })).stderr).toContain("Was uploaded before: ");
  expect((await runCli(["logout", ...flags], { cwd })).code).toBe(0);
  expect((await runCli(["whoami"], { cwd, env })).stderr).toContain("✗ Not logged in to ");
  await again.stop("SIGTERM");
  const written = filesIn(folder).map((file) => readFileSync(file, "latin1"));
  expect(written.some((text) => text.includes("s/a@m"))).toBe(true);
  expect(written.some((text) => text.includes("canary"))).toBe(false);
}, 60_000);

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sampleUpload } from "../packages/server/src/__fixtures__/sample-upload.js";
import { schemaVersion } from "../packages/server/src/database/migrate.js";
import { repository } from "./support/run-cli.js";
import { cliPath } from "./support/start-cli.js";

const program = join(repository, "packages", "server", "dist", "bin.js");

interface Started {
  child: ChildProcess;
  /** The address that the server logs; empty if it ended. */
  origin: string;
  stdout(): string;
  stderr(): string;
  ended: Promise<unknown>;
}

async function start(cwd: string, ...command: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [...command, "--port", "0"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  afterFile(() => void child.kill("SIGKILL"));
  const [out, err]: [string[], string[]] = [[], []];
  const ended = once(child, "close");
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk.toString()));
  const origin = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out.push(chunk.toString());
      const found = /Listening on (http:[^"]+)/.exec(out.join(""))?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => resolve(""));
  });
  return { child, origin, ended, stdout: () => out.join(""), stderr: () => err.join("") };
}

it("starts with one command, has its folder alone, loses no acknowledged run to kill -9, and stops when asked", async () => {
  const cwd = makeProject({});
  const server = await start(cwd, program);
  const folder = join(cwd, "kindlm-data");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const second = await start(cwd, program);
  expect(second.stderr()).toBe(`✗ The database did not open: kindlm-data is in use by process ${server.child.pid}\n`);
  expect(second.child.exitCode).toBe(1);

  const send = async (origin: string, method: string, path: string, body?: unknown, token = "") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${origin}${path}`, { method, headers, ...content });
    const json = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, json };
  };
  expect(await send(server.origin, "GET", "/healthz")).toEqual({
    status: 200,
    json: { status: "ok", schema: schemaVersion },
  });
  const secret = /#(kls_[\w-]+)/.exec(server.stderr())?.[1];
  const person = { email: "owner@example.com", password: "correct horse battery" };
  const setup = await send(server.origin, "POST", "/api/v1/auth/setup", { secret, organization: "Acme", ...person });
  const token = String(setup.json["access_token"]);
  expect(await send(server.origin, "POST", "/api/v1/projects", { name: "shop" }, token)).toMatchObject({ status: 201 });
  const path = "/api/v1/projects/shop/runs/run-1";
  expect(await send(server.origin, "PUT", path, sampleUpload({ run: "run-1" }), token)).toMatchObject({ status: 201 });
  server.child.kill("SIGKILL");
  await server.ended;

  // As a user of the command line starts it, who sends signals to that.
  mkdirSync(join(cwd, "node_modules", "@kindlm"), { recursive: true });
  symlinkSync(join(repository, "packages", "server"), join(cwd, "node_modules", "@kindlm", "server"), "junction");
  const again = await start(cwd, cliPath, "server");
  expect(again.stderr()).toBe("");
  const cases = await send(again.origin, "GET", `${path}/cases`, undefined, token);
  expect(cases).toMatchObject({ status: 200, json: { items: [{}], next: null } });
  again.child.kill("SIGTERM");
  await again.ended;
  expect(again.child.exitCode).toBe(0);
  const moved = await promisify(execFile)(process.execPath, [program, "export"], { cwd });
  expect(moved.stdout).toMatch(
    /^\{"kindlm_export":1,"schema":\d+\}\n[^]*"run":"run-1"[^]*\n\{"sha256":"[\da-f]{64}"\}\n$/,
  );
  expect(moved.stdout).not.toContain(token);
  for (const line of again.stdout().trim().split("\n")) {
    expect(JSON.parse(line)).toMatchObject({ level: "info", timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
  }
  expect(server.stdout() + again.stdout()).not.toContain(token);
});

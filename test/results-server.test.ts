import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sampleUpload } from "../packages/server/src/__fixtures__/sample-upload.js";
import { repository } from "./support/run-cli.js";
import { cliPath } from "./support/start-cli.js";
import { sendTo, setUpServer, startServerProcess } from "./support/started-server.js";

/** As a user of the command line starts it, who sends signals to that. */
function startByCommand(cwd: string): ReturnType<typeof startServerProcess> {
  mkdirSync(join(cwd, "node_modules", "@kindlm"), { recursive: true });
  symlinkSync(join(repository, "packages", "server"), join(cwd, "node_modules", "@kindlm", "server"), "junction");
  return startServerProcess({ cwd, command: [process.execPath, cliPath, "server"] });
}

// test/long/server-failures.test.ts has what a server does when something is wrong.
it("starts with one command, has its folder alone, loses no acknowledged run to kill -9, and stops when asked", async () => {
  const cwd = makeProject({});
  const server = await startServerProcess({ cwd });
  expect(statSync(join(cwd, "kindlm-data")).mode & 0o777).toBe(0o700);
  expect(await sendTo(server.origin)("GET", "/healthz")).toMatchObject({ status: 200, json: { status: "ok" } });
  const second = startServerProcess({ cwd });
  const token = await setUpServer(server);
  const path = "/api/v1/projects/shop/runs/run-1";
  const upload = await sendTo(server.origin, token)("PUT", path, sampleUpload({ run: "run-1" }));
  expect(upload).toMatchObject({ status: 201 });
  expect(await (await second).ended).toBe(1);
  expect((await second).stderr()).toBe(
    `✗ kindlm-data is in use by process ${server.child.pid}\n  Stop that process, or choose another folder with --data. Several servers need PostgreSQL\n`,
  );
  server.child.kill("SIGKILL");
  await server.ended;

  const again = await startByCommand(cwd);
  expect(again.stderr()).toBe("");
  const shown = await sendTo(again.origin, token)("GET", `${path}/cases`);
  expect(shown).toMatchObject({ status: 200, json: { items: [{}], next: null } });
  again.child.kill("SIGTERM");
  expect(await again.ended).toBe(0);
  for (const line of again.stdout().trim().split("\n")) {
    expect(JSON.parse(line)).toMatchObject({ level: "info", timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
  }
  expect(server.stdout() + again.stdout()).not.toContain(token);
});

it("stops if the command that started it is killed", async () => {
  const { child, ended, stdout } = await startByCommand(makeProject({}));
  child.kill("SIGKILL");
  // The server holds the output of the command until its own end.
  await ended;
  expect(stdout()).toContain('"code":"stopping"');
});

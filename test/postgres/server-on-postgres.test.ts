import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startCluster } from "../../bench/results-server/postgres-cluster.js";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { sampleUpload } from "../../packages/server/src/__fixtures__/sample-upload.js";
import { sendTo, setUpServer, startServerProcess } from "../support/started-server.js";

const run = promisify(execFile);
const password = "wörd & : /";
const opening = startCluster({ password });
afterFile(async () => (await opening).remove());

const pathOf = (name: string): string => `/api/v1/projects/shop/runs/${name}`;

async function createDatabase(name: string): Promise<string> {
  const { query, urlOf } = await opening;
  await query(`create database ${name}`);
  return urlOf(name);
}

it(
  "does not start, and says what to do, if the database is not there, too old, or not for this user",
  { timeout: 120_000 },
  async () => {
    const { urlOf, folder, query } = await opening;
    const cwd = makeProject({});
    const url = await createDatabase("results_1");
    // A database that says it is PostgreSQL 9.
    await query("alter database results_1 set search_path = old, pg_catalog");
    await run("psql", [
      url,
      "-qc",
      "create schema old; create function old.current_setting(text) returns text language sql as $$ select '9.6.24' $$",
    ]);
    const cases: readonly (readonly [string, RegExp])[] = [
      [
        urlOf("nowhere"),
        /^✗ The database does not exist: .*\n  Create it with createdb, or correct its name in --database\n$/,
      ],
      [
        urlOf("postgres", "wrong"),
        /^✗ The database refused the user or the password: .*\n  Check both in --database\./,
      ],
      [urlOf("postgres").replace("kindlm:", "nobody:"), /^✗ The database refused the user or the password: /],
      [
        urlOf("postgres").replace(encodeURIComponent(folder), "%2Fnowhere"),
        /^✗ The database does not answer: .*\n  Check that PostgreSQL runs/,
      ],
      [
        "postgres://kindlm:secret-canary@127.0.0.1:1/x",
        /^✗ The database does not answer: connect ECONNREFUSED 127\.0\.0\.1:1\n/,
      ],
      ["postgres://kindlm:secret-canary@:x:y/z", /^✗ --database is not an address/],
      [
        url,
        /^✗ The database is PostgreSQL 9\.6\.24, but 15 or later is needed\n  Update PostgreSQL, or use the embedded database\n$/,
      ],
    ];
    for (const [database, message] of cases) {
      // One server after the other.
      const server = await startServerProcess({ cwd, args: ["--database", database] });
      expect(await server.ended).toBe(1);
      expect(server.stderr()).toMatch(message);
      expect(server.stderr() + server.stdout()).not.toMatch(/secret-canary|w%C3%B6rd|wörd/);
    }
  },
);

it("works on after PostgreSQL was restarted under it", { timeout: 120_000 }, async () => {
  const { halt, start } = await opening;
  const server = await startServerProcess({
    cwd: makeProject({}),
    args: ["--database", await createDatabase("results_2")],
  });
  const send = sendTo(server.origin, await setUpServer(server));
  const put = (name: string) => send("PUT", pathOf(name), sampleUpload({ run: name }));
  const before = await Promise.all(Array.from({ length: 20 }, (_, index) => put(`before-${index}`)));
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set([201]));
  await halt();
  const gone = await put("between");
  expect(gone).toMatchObject({ status: 503, json: { error: "unavailable" } });
  expect(await send("GET", "/healthz")).toMatchObject({ status: 503, json: { status: "unavailable" } });
  await start();
  expect(await put("between")).toMatchObject({ status: 201 });
  expect(await send("GET", "/healthz")).toMatchObject({ status: 200, json: { status: "ok" } });
  expect(server.child.exitCode).toBeNull();
});

import { sql } from "kysely";
import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { sharedDatabase, startTestServer, type TestServer } from "../__fixtures__/test-server.js";

function putTo(server: TestServer) {
  return async (run: string, changes: object = {}): Promise<number> => {
    const upload = sampleUpload({ run, cases: [{ name: "a", passes: 1 }] });
    const body = { ...upload, run: { ...upload.run, ...changes } };
    return (await server.send(`/projects/shop/runs/${run}`, { method: "PUT", body })).status;
  };
}

it("runs are in the daily sums with the 24th of them or the first reader, and once if one is replaced meanwhile", async () => {
  const server = await startTestServer();
  const { database } = server.opened;
  const put = putTo(server);
  const state = async () => {
    const list = await database
      .selectFrom("uncounted_runs")
      .select("run_id")
      .where("project_id", "=", server.projectId)
      .execute();
    const sums = await database
      .selectFrom("case_days")
      .select("runs")
      .where("project_id", "=", server.projectId)
      .execute();
    return { list: list.length, sums: sums.map(({ runs }) => runs) };
  };
  for (let count = 0; count < 23; count += 1) expect(await put(`r${count}`)).toBe(201);
  expect(await state()).toEqual({ list: 23, sums: [] });
  expect(await put("r0", { resumed: 1 })).toBe(201);
  expect(await state()).toEqual({ list: 23, sums: [] });
  expect(await put("r23")).toBe(201);
  expect(await state()).toEqual({ list: 0, sums: [24] });
  expect(await put("r1", { resumed: 1 })).toBe(201);
  expect(await state()).toEqual({ list: 1, sums: [23] });
  expect((await server.send("/projects/shop/flaky")).json["items"]).toMatchObject([{ runs: 24, mixed: 24 }]);
  expect(await state()).toEqual({ list: 0, sums: [24] });
});

it("reads go on while the database is read-only, with the same ranking, and write again after that", async () => {
  const opened = await sharedDatabase();
  await opened.database.connection().execute(async (database) => {
    const server = await startTestServer({ database });
    const put = putTo(server);
    const reader = await server.tokenFor(["runs:read"]);
    for (const run of ["r0", "r1"]) expect(await put(run)).toBe(201);
    const flaky = async (token: string) => (await server.send("/projects/shop/flaky", { token })).json["items"];
    const before = await flaky(server.token);
    expect(before).toMatchObject([{ runs: 2, mixed: 2, flakiness: 1 }]);
    for (const run of ["r2", "r3"]) expect(await put(run)).toBe(201);
    const used = () =>
      database
        .selectFrom("tokens")
        .select("used_ms")
        .where("org_id", "=", server.orgId)
        .orderBy("created_ms")
        .orderBy("used_ms")
        .execute();
    const uncounted = () =>
      database.selectFrom("uncounted_runs").select("run_id").where("project_id", "=", server.projectId).execute();
    await sql`set default_transaction_read_only = on`.execute(database);
    try {
      expect(await put("refused")).toBe(503);
      expect(await flaky(reader)).toMatchObject([{ runs: 4, mixed: 4, flakiness: 1 }]);
      expect((await server.send("/projects/shop/runs", { token: reader })).json["items"]).toHaveLength(4);
      expect([await used(), await uncounted()]).toMatchObject([
        [{ used_ms: server.clock.now }, { used_ms: null }],
        [{}, {}],
      ]);
    } finally {
      await sql`set default_transaction_read_only = off`.execute(database);
    }
    expect(await flaky(reader)).toMatchObject([{ runs: 4, mixed: 4, flakiness: 1 }]);
    const after = { used_ms: server.clock.now };
    expect([await used(), await uncounted()]).toEqual([[after, after], []]);
  });
});

it("counts each run once, however many read, upload and replace at the same time", async () => {
  const server = await startTestServer();
  const put = putTo(server);
  const flaky = () => server.send("/projects/shop/flaky");
  // The embedded database has one connection: there the first reader adds up all runs that were there before.
  const before = server.opened.kind === "embedded" ? 6 : 20;
  for (let count = 0; count < before; count += 1) expect(await put(`r${count}`)).toBe(201);
  const asked = Array.from({ length: 5 }, (_, index) => [
    flaky(),
    put(`s${index}`).then((status) => ({ status })),
    put(`r${index}`, { resumed: 1 }).then((status) => ({ status })),
  ]).flat();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 201]));
  expect((await flaky()).json["items"]).toMatchObject([{ runs: before + 5, mixed: before + 5 }]);
});

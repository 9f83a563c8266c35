import { sql } from "kysely";
import { expect, it } from "vitest";
import { runForUpload, uploadOf } from "../../../core/src/upload/__fixtures__/uploaded-runs.js";
import { startTestServer } from "../__fixtures__/test-server.js";
import { exportData, importData, readLines } from "./move-data.js";
import { openInMemory } from "../database/open-database.js";
import type { Database } from "../database/tables.js";

async function exportOf(database: Database): Promise<string> {
  const pieces: string[] = [];
  await exportData(database, async (text) => {
    pieces.push(text);
  });
  return pieces.join("");
}

/** As they come from a pipe: cut anywhere, also within a character. */
async function* piecesOf(text: string): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1_001) yield bytes.subarray(at, at + 1_001);
}

const linesOf = (text: string): AsyncIterable<string> => readLines(piecesOf(text));

/** What ends with its server: who signs in, logs in or joins just then does it again. */
const left = new Set([
  "device_codes",
  "flush_check",
  "invitations",
  "oidc_uses",
  "schema_version",
  "sessions",
  "setup_links",
]);

async function tablesOf(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`.execute(database);
  return rows.map(({ name }) => name);
}

it("moves all data into an empty database, byte by byte the same, and nothing of a damaged export", async () => {
  const server = await startTestServer();
  const upload = await uploadOf((await runForUpload()).folder);
  const put = (run: string, body: object) => server.send(`/projects/shop/runs/${run}`, { method: "PUT", body });
  expect(await put(upload.run.run, upload)).toMatchObject({ status: 201 });
  const text = await exportOf(server.opened.database);
  // In `pnpm test:postgres` this is the other kind of database.
  const other = await openInMemory();
  const damaged = text.replace('"verdict":"failed"', '"verdict":"passed"');
  await expect(importData(other.database, linesOf(damaged))).rejects.toThrow("its checksum does not fit");
  await expect(importData(other.database, linesOf("{}\n"))).rejects.toThrow(
    "The file is not an export of this version",
  );
  // A table that somebody forgets would be equal on both sides: empty.
  const [head = ""] = text.split("\n");
  for (const table of await tablesOf(other.database)) {
    const found = await importData(other.database, linesOf(`${head}\n{"table":"${table}","row":{}}\n`)).catch(String);
    expect(String(found).includes("rows of an unknown table"), table).toBe(left.has(table));
  }
  await importData(other.database, linesOf(text));
  expect(await exportOf(other.database)).toBe(text);
  await expect(importData(other.database, linesOf(text))).rejects.toThrow("The database has data already");
  const runs = other.database.selectFrom("runs").select(({ fn }) => fn.max("id").as("last"));
  const { last } = await runs.executeTakeFirstOrThrow();
  const next = await other.database
    .insertInto("cases")
    .values({ org_id: "o", project_id: "p", case_id: "c", suite: "s", name: "n", model: "m" })
    .returning("key")
    .executeTakeFirstOrThrow();
  expect(last).toBeGreaterThan(0);
  expect(next.key).toBeGreaterThan(upload.cases.length);
  await other.close();
});

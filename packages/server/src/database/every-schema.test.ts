import { sql, type Transaction } from "kysely";
import { expect, it } from "vitest";
import { startTestServer } from "../__fixtures__/test-server.js";
import { migrateWithin, schemaVersion } from "./migrate.js";
import type { Tables } from "./tables.js";

/** Columns, indexes and constraints of the current schema. */
async function describeSchema(work: Transaction<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
        pg_get_expr(d.adbin, d.adrelid)) as line
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    union all select replace(indexdef, current_schema(), '') from pg_indexes where schemaname = current_schema()
    union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = current_schema()::regnamespace
    order by line`.execute(work);
  return rows.map(({ line }) => line);
}

/** A row of each table that a later version changes, as the first version has them. */
const firstRows = [
  "insert into orgs values ('o', 'Acme', null, 1)",
  "insert into projects values ('p', 'o', 'shop', '', 14, 30, 400, null, 1)",
  "insert into tokens values ('t', 'o', null, 'ci', 'hash', 'runs:write', null, 1, 2, null, null)",
  "insert into webhooks values ('w', 'o', 'p', 'https://example.com', 'whsec_', 'run.failed', 1)",
  "insert into deliveries (org_id, webhook_id, event, body, tries, next_ms) values ('o', 'w', 'run.failed', '{}', 0, 1)",
];

it("the schema of every earlier version becomes the one of a new database, with its rows", async () => {
  const { database } = (await startTestServer()).opened;
  const schemas: (readonly string[])[] = [];
  const work = await database.startTransaction().execute();
  const run = (statement: string) => sql.raw(statement).execute(work);
  await run("create schema earlier");
  await run("set local search_path to earlier");
  for (let before = 0; before < schemaVersion; before += 1) {
    if (before > 0) await migrateWithin(work, before);
    if (before === 1) for (const row of firstRows) await run(row);
    await run("savepoint earlier_version");
    await migrateWithin(work);
    schemas.push(await describeSchema(work));
    const { version } = await work.selectFrom("schema_version").select("version").executeTakeFirstOrThrow();
    expect(version).toBe(schemaVersion);
    if (before > 0) {
      const rows = await work
        .selectFrom("deliveries")
        .innerJoin("webhooks as w", "w.id", "webhook_id")
        .select("url")
        .execute();
      expect(rows).toEqual([{ url: "https://example.com" }]);
    }
    await run("rollback to savepoint earlier_version");
  }
  await work.rollback().execute();
  const [made, ...migrated] = schemas;
  expect(made?.length).toBeGreaterThan(150);
  for (const schema of migrated) expect(schema).toEqual(made);
});

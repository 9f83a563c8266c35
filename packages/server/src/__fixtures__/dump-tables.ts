import { inflateRawSync } from "node:zlib";
import { sql } from "kysely";
import type { Database } from "../database/tables.js";

/** Every row of every table as text, with what is compressed inflated. */
export async function dumpTables(database: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`.execute(database);
  const texts: string[] = [];
  for (const { name } of tables) {
    // One after the other: the embedded database has one connection.
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(database);
    texts.push(name, ...rows.map((row) => JSON.stringify(row, (_key, value: unknown) => asText(value))));
  }
  return texts.join("\n");
}

function asText(value: unknown): unknown {
  const isBuffer = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
  const bytes = value instanceof Uint8Array ? value : isBuffer && "data" in value ? value.data : null;
  if (!(bytes instanceof Uint8Array) && !Array.isArray(bytes)) return value;
  return inflateRawSync(Uint8Array.from(bytes)).toString("utf8");
}

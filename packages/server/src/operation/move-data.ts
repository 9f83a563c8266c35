import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { makePartitions, partitioned } from "../database/partitions.js";
import { schemaVersion } from "../database/migrate.js";
import type { Database, Tables } from "../database/tables.js";

/** What an export holds, in the order in which rows refer to each other, and by what the rows of each are ordered. */
const exported = [
  { table: "orgs", order: "id" },
  { table: "users", order: "id" },
  { table: "memberships", order: "org_id, user_id" },
  { table: "projects", order: "id" },
  { table: "tokens", order: "id" },
  { table: "trusts", order: "id" },
  { table: "runs", order: "id", counter: "id" },
  { table: "parts", order: "run_id, number" },
  { table: "cases", order: "key", counter: "key" },
  { table: "suite_results", order: "run_id, suite" },
  { table: "case_results", order: "day, run_id, case_key" },
  { table: "trials", order: "day, run_id, place" },
  { table: "transcripts", order: "day, run_id, case_key" },
  { table: "uncounted_runs", order: "run_id" },
  { table: "case_days", order: "project_id, case_key, day, agent_hash, check_hash" },
  { table: "baselines", order: "id", counter: "id" },
  { table: "webhooks", order: "id" },
  { table: "deliveries", order: "id", counter: "id" },
  { table: "audit_log", order: "id", counter: "id" },
] as const;
type Exported = (typeof exported)[number];

const batch = 500;
const headLine = (schema: number): string => JSON.stringify({ kindlm_export: 1, schema });

/**
 * Writes all rows as lines of JSON, with a checksum at the end, from one snapshot. Equal data gives equal bytes, in
 * whichever database it is.
 */
export async function exportData(database: Database, write: (text: string) => Promise<void>): Promise<void> {
  const hash = createHash("sha256");
  const send = async (text: string): Promise<void> => {
    hash.update(text);
    await write(text);
  };
  await database
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (work) => {
      await send(`${headLine(schemaVersion)}\n`);
      for (const { table, order } of exported) {
        // Text is ordered by its bytes, so the order does not depend on the locale of the database.
        const by = order.split(", ").map(byBytes).join(", ");
        const select = `select row_to_json(t)::text as row from ${table} t order by ${by}`;
        await sql.raw(`declare rows cursor for ${select}`).execute(work);
        for (;;) {
          const { rows: found } = await sql<{ row: string }>`fetch ${sql.raw(String(batch))} from rows`.execute(work);
          if (found.length === 0) break;
          await send(found.map(({ row }) => `{"table":"${table}","row":${row}}\n`).join(""));
        }
        await sql`close rows`.execute(work);
      }
    });
  await write(`${JSON.stringify({ sha256: hash.digest("hex") })}\n`);
}

const byBytes = (column: string): string => `${column}::text collate "C"`;

/**
 * The lines of a stream. Node's own reader loses what comes before somebody iterates, and takes U+2028, which may be in
 * a name, for the end of a line.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array | string>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** An export that cannot be imported. Nothing of it was. */
class ImportError extends Error {}

/**
 * Reads an export into an empty database, all of it or nothing. Rejects with ImportError if the database has data, and if
 * the export is of another schema or damaged.
 */
export async function importData(database: Database, lines: AsyncIterable<string>): Promise<void> {
  await database.transaction().execute(async (work) => {
    const found = await work.selectFrom("orgs").select("id").limit(1).executeTakeFirst();
    if (found !== undefined) throw new ImportError("The database has data already: import into an empty one");
    const hash = createHash("sha256");
    let expected: string | null = null;
    let waiting: { table: string; rows: string[] } = { table: "", rows: [] };
    let isFirst = true;
    for await (const line of lines) {
      if (isFirst && line !== headLine(schemaVersion))
        throw new ImportError("The file is not an export of this version");
      if (line.startsWith('{"sha256":')) {
        expected = /"([\da-f]{64})"/.exec(line)?.[1] ?? null;
        continue;
      }
      hash.update(`${line}\n`);
      const [, table, row] = /^\{"table":"(\w+)","row":([^]*)\}$/.exec(line) ?? [];
      if (!isFirst && (table === undefined || row === undefined)) throw new ImportError("The export is damaged");
      isFirst = false;
      if (table === undefined || row === undefined) continue;
      if (table !== waiting.table || waiting.rows.length >= batch) {
        await insert(work, waiting);
        waiting = { table, rows: [] };
      }
      waiting.rows.push(row);
    }
    await insert(work, waiting);
    if (expected !== hash.digest("hex")) throw new ImportError("The export is damaged: its checksum does not fit");
    for (const one of exported) if ("counter" in one) await moveCounter(work, one.table, one.counter);
  });
}

async function insert(work: Transaction<Tables>, { table, rows }: { table: string; rows: readonly string[] }) {
  if (rows.length === 0) return;
  const known: Exported | undefined = exported.find((one) => one.table === table);
  if (known === undefined) throw new ImportError(`The export has rows of an unknown table: ${table}`);
  if (partitioned.some((name) => name === table)) {
    const days = new Set(rows.map((row) => Number(/"day":(\d+)/.exec(row)?.[1])));
    for (const day of days) await makePartitions(work, day);
  }
  const name = sql.table(known.table);
  await sql`insert into ${name} overriding system value
    select * from json_populate_recordset(null::${name}, ${`[${rows.join(",")}]`}::json)`.execute(work);
}

/** New rows are numbered on from the imported ones. */
async function moveCounter(work: Transaction<Tables>, table: Exported["table"], column: string): Promise<void> {
  await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
    (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}), false)`.execute(work);
}

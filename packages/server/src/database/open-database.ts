import { join } from "node:path";
import { Kysely, PostgresDialect, sql } from "kysely";
import type { Pool } from "pg";
import { lockFolder, type LockOwner } from "./folder-lock.js";
import { migrate } from "./migrate.js";
import { PglitePool } from "./pglite-pool.js";
import type { Database, Tables } from "./tables.js";

export interface OpenDatabase {
  database: Database;
  kind: "embedded" | "postgres";
  /** How often the embedded database has flushed a file; null for one that does so elsewhere. */
  flushed(): number | null;
  close(): Promise<void>;
}

/** The oldest version that the tests have run on. */
const oldestPostgres = 15;
const connectMs = 10_000;

/** The version of PostgreSQL is not supported. */
export class OldPostgresError extends Error {
  constructor(found: string) {
    super(`The database is PostgreSQL ${found}, but ${oldestPostgres} or later is needed`);
  }
}

/** Opens PostgreSQL at an address, and migrates it. Rejects with OldPostgresError, NewerSchemaError, or what `pg` says. */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  const pool = await createPool(url);
  // Connections that nobody uses end with the server of the database. The next request opens one.
  pool.on("error", () => {});
  // No query takes as long as it takes to compile one. A problem of the connection shows in the next query.
  pool.on("connect", (client) => void client.query("set jit = off").catch(() => {}));
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(
      database,
    );
    const version = rows[0]?.version ?? "";
    if (Number.parseInt(version, 10) < oldestPostgres) throw new OldPostgresError(version);
    await migrate(database);
    return { database, kind: "postgres", flushed: () => null, close: () => database.destroy() };
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** A server with the embedded database does not load `pg`, which loads Node's `fetch` to see where it runs. */
async function createPool(url: string): Promise<Pool> {
  const { default: pg } = await import("pg");
  // `pg` gives them as text otherwise. All our numbers fit.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  return new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: connectMs });
}

/**
 * Opens the embedded database in a folder, and migrates it. Rejects if another process has it open, and if its file
 * system does not flush: an acknowledged run could then be lost.
 */
export async function openEmbedded(folder: string, owner: LockOwner): Promise<OpenDatabase> {
  const unlock = await lockFolder(folder, owner);
  const pool = new PglitePool(join(folder, "database"));
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const close = async (): Promise<void> => {
    await database.destroy();
    unlock();
  };
  try {
    await migrate(database);
    return { database, kind: "embedded", flushed: () => pool.flushed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An embedded database in memory, for tests. */
export async function openInMemory(): Promise<OpenDatabase> {
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new PglitePool(null) }) });
  await migrate(database);
  return { database, kind: "embedded", flushed: () => null, close: () => database.destroy() };
}

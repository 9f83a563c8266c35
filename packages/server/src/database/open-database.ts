import { join } from "node:path";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { lockFolder, type LockOwner } from "./folder-lock.js";
import { migrate } from "./migrate.js";
import { PglitePool } from "./pglite-pool.js";
import type { Database, Tables } from "./tables.js";

export interface OpenDatabase {
  database: Database;
  kind: "embedded" | "postgres";
  close(): Promise<void>;
}

/** `pg` gives them as text otherwise. All our numbers fit. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens PostgreSQL at an address, and migrates it. */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  await migrate(database);
  return { database, kind: "postgres", close: () => database.destroy() };
}

/**
 * Opens the embedded database in a folder, and migrates it. Rejects if another process has it open, and if its file
 * system does not flush: an acknowledged run could then be lost.
 */
export async function openEmbedded(folder: string, owner: LockOwner): Promise<OpenDatabase> {
  const unlock = lockFolder(folder, owner);
  const pool = new PglitePool(join(folder, "database"));
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const close = async (): Promise<void> => {
    await database.destroy();
    unlock();
  };
  try {
    const flushes = await pool.ready;
    if (flushes === null || flushes < 1) throw new Error("The database does not flush what it writes to the disk");
    await migrate(database);
    return { database, kind: "embedded", close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An embedded database in memory, for tests. */
export async function openInMemory(): Promise<OpenDatabase> {
  const pool = new PglitePool(null);
  pool.unref();
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  await pool.ready;
  await migrate(database);
  return { database, kind: "embedded", close: () => database.destroy() };
}

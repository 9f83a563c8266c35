import { Worker } from "node:worker_threads";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import {
  Kysely,
  PostgresDialect,
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from "kysely";
import pg from "pg";
import { lockFolder, type LockOwner } from "./folder-lock.js";
import { migrate } from "./migrate.js";
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

/** What PostgreSQL, or PGlite, says of a query that it rejects. */
class QueryError extends Error {
  readonly code: string | null;
  readonly constraint: string | null;

  constructor({ message, code, constraint }: { message: string; code: string | null; constraint: string | null }) {
    super(message);
    this.code = code;
    this.constraint = constraint;
  }
}

interface Answer {
  rows: Record<string, unknown>[];
  rowCount: number;
  command: string;
}

type Reply =
  | { ready: true; flushes: number | null }
  | { failed: string }
  | ({ id: number } & Answer)
  | { id: number; error: { message: string; code: string | null; constraint: string | null } };

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

type Ask = (sql: string, parameters: readonly unknown[]) => Promise<Answer>;

/** The connection, for whoever has it. */
class PgliteClient implements PostgresPoolClient {
  readonly #ask: Ask;
  readonly release: () => void;

  constructor(ask: Ask, release: () => void) {
    this.#ask = ask;
    this.release = release;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(sql: unknown, parameters: readonly unknown[] = []): unknown {
    // Nothing here reads by cursor.
    return this.#ask(String(sql), parameters);
  }
}

/** The program of the worker: next to this file in the package, and among the compiled files in a checkout. */
function workerFile(): string {
  const own = fileURLToPath(new URL("./pglite-worker.js", import.meta.url));
  return existsSync(own) ? own : own.replace("/src/", "/build/");
}

/**
 * A pool of one connection to PGlite in a worker. Whoever connects has it alone until it is released, so a transaction
 * works as on PostgreSQL.
 */
class PglitePool implements PostgresPool {
  readonly #worker: Worker;
  readonly #answers = new Map<number, Waiting>();
  readonly #queue: (() => void)[] = [];
  #next = 0;
  #isTaken = false;
  #started: { resolve(flushes: number | null): void; reject(error: Error): void } | null = null;
  /** Flushes of one commit; null for a database in memory. Rejects if the database does not start. */
  readonly ready: Promise<number | null>;

  /** @param folder - where the database is; null keeps it in memory */
  constructor(folder: string | null) {
    this.#worker = new Worker(workerFile(), { workerData: { folder } });
    this.ready = new Promise((resolve, reject) => (this.#started = { resolve, reject }));
    this.#worker.on("message", (reply: Reply) => this.#take(reply));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("The database has stopped")));
  }

  /** Lets the process end while the database is open. */
  unref(): void {
    this.#worker.unref();
  }

  connect(): Promise<PostgresPoolClient> {
    const client = new PgliteClient(
      (sql, parameters) => this.#query(sql, parameters),
      () => this.#release(),
    );
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve(client);
    }
    return new Promise((resolve) => this.#queue.push(() => resolve(client)));
  }

  async end(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    this.#post({ end: true });
    await ended;
  }

  #post(message: object): void {
    const port = this.#worker;
    port.postMessage(message);
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }

  #query(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.#post({ id, sql, parameters });
    });
  }

  #take(reply: Reply): void {
    if ("ready" in reply) return this.#started?.resolve(reply.flushes);
    if ("failed" in reply) return this.#fail(new Error(reply.failed));
    const waiting = this.#answers.get(reply.id);
    this.#answers.delete(reply.id);
    if ("error" in reply) waiting?.reject(new QueryError(reply.error));
    else waiting?.resolve(reply);
  }

  #fail(error: Error): void {
    this.#started?.reject(error);
    for (const { reject } of this.#answers.values()) reject(error);
    this.#answers.clear();
  }
}

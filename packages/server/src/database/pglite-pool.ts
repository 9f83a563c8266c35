import { Worker } from "node:worker_threads";
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { workerFile } from "./worker-file.js";

interface QueryProblem {
  message: string;
  code: string | null;
  constraint: string | null;
  /** As PostgreSQL has it: `ERROR`, or `PANIC` if it cannot go on. */
  severity: string | null;
}

/** What PGlite says of a query that it rejects. */
class QueryError extends Error {
  readonly code: string | null;
  readonly constraint: string | null;

  constructor({ message, code, constraint }: Omit<QueryProblem, "severity">) {
    super(message);
    this.code = code;
    this.constraint = constraint;
  }
}

/** PostgreSQL's code for a connection that its server has ended. */
const stopped = { message: "The database has stopped", code: "57P01", constraint: null };

interface Answer {
  rows: Record<string, unknown>[];
  rowCount: number;
  command: string;
}

type Reply =
  | { ready: true; flushes: number | null }
  | { failed: string; code: string | null }
  | ({ id: number; flushed: number } & Answer)
  | { id: number; flushed: number; error: QueryProblem };

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** The database from a start to its end, which is a crash at times. */
class Life {
  readonly #worker: Worker;
  readonly #answers = new Map<number, Waiting>();
  #next = 0;
  #started: { resolve(flushes: number | null): void; reject(error: Error): void } | null = null;
  /** Flushes of one commit; null for a database in memory. Rejects if the database does not start. */
  readonly ready: Promise<number | null>;
  isOver = false;
  /** Flushes since the start. */
  flushed = 0;

  constructor(folder: string | null, isRef: boolean) {
    this.#worker = new Worker(workerFile(import.meta.url, "pglite-worker.js"), { workerData: { folder } });
    if (!isRef) this.#worker.unref();
    this.ready = new Promise((resolve, reject) => (this.#started = { resolve, reject }));
    this.#worker.on("message", (reply: Reply) => this.#take(reply));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new QueryError(stopped)));
  }

  query(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    // A transaction ends with the database: what would follow in it must not be done by the next one.
    if (this.isOver) return Promise.reject(new QueryError(stopped));
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.#post({ id, sql, parameters });
    });
  }

  async end(): Promise<void> {
    if (this.isOver) return;
    const ended = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    this.#post({ end: true });
    await ended;
  }

  #post(message: object): void {
    const port = this.#worker;
    port.postMessage(message);
  }

  #take(reply: Reply): void {
    if ("ready" in reply) return this.#started?.resolve(reply.flushes);
    if ("failed" in reply) return this.#fail(new QueryError({ ...stopped, message: reply.failed, code: reply.code }));
    this.flushed = reply.flushed;
    const waiting = this.#answers.get(reply.id);
    this.#answers.delete(reply.id);
    if (!("error" in reply)) return waiting?.resolve(reply);
    waiting?.reject(new QueryError(reply.error));
    // It answers nothing after that, such as after a full disk in the middle of its log.
    if (reply.error.severity === "PANIC" || reply.error.severity === "FATAL") this.#fail(new QueryError(stopped));
  }

  #fail(error: Error): void {
    this.isOver = true;
    this.#started?.reject(error);
    for (const { reject } of this.#answers.values()) reject(error);
    this.#answers.clear();
    void this.#worker.terminate();
  }
}

/** The connection, for whoever has it. */
class PgliteClient implements PostgresPoolClient {
  readonly #life: Life;
  readonly release: () => void;

  constructor(life: Life, release: () => void) {
    this.#life = life;
    this.release = release;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(sql: unknown, parameters: readonly unknown[] = []): unknown {
    // Nothing here reads by cursor.
    return this.#life.query(String(sql), parameters);
  }
}

/**
 * A pool of one connection to PGlite in a worker. Whoever connects has it alone until it is released, so a transaction
 * works as on PostgreSQL. A database that crashed is opened again for the next who connects.
 */
export class PglitePool implements PostgresPool {
  readonly #folder: string | null;
  readonly #isRef: boolean;
  readonly #queue: (() => void)[] = [];
  #life: Life | null = null;
  #isTaken = false;
  #earlierFlushes = 0;

  /** @param folder - where the database is; null keeps it in memory, and lets the process end while it is open */
  constructor(folder: string | null) {
    this.#folder = folder;
    this.#isRef = folder !== null;
  }

  /** Flushes since the pool was made. */
  get flushed(): number {
    return this.#earlierFlushes + (this.#life?.flushed ?? 0);
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#isTaken = true;
    try {
      return new PgliteClient(await this.#open(), () => this.#release());
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.#life?.end();
  }

  async #open(): Promise<Life> {
    if (this.#life === null || this.#life.isOver) {
      this.#earlierFlushes = this.flushed;
      this.#life = new Life(this.#folder, this.#isRef);
    }
    const life = this.#life;
    const flushes = await life.ready;
    if (this.#folder === null || (flushes !== null && flushes > 0)) return life;
    await life.end();
    throw new NoFlushError();
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

/** The database does not flush, so a run could be lost after the server has said that it has it. */
export class NoFlushError extends Error {
  constructor() {
    super("The embedded database does not flush what it writes to the disk");
  }
}

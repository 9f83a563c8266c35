import { sql } from "kysely";
import type { OpenDatabase } from "../database/open-database.js";

/** An answer of the API. */
export interface Answered {
  /** Path of the route, without values. */
  route: string;
  method: string;
  status: number;
  /** The code of the error; null for an answer without one. */
  error: string | null;
  durationMs: number;
}

/** In seconds, as Prometheus has times. */
const buckets = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface Histogram {
  counts: number[];
  sum: number;
  count: number;
}

/** Counts of a process, and figures of its database, as Prometheus reads them. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #durations = new Map<string, Histogram>();
  readonly #opened: OpenDatabase;

  constructor(opened: OpenDatabase) {
    this.#opened = opened;
  }

  count({ route, method, status, error, durationMs }: Answered): void {
    add(this.#requests, `method="${method}",route="${route}",status="${status}"`);
    if (error !== null) add(this.#refusals, `error="${error}"`);
    const labels = `method="${method}",route="${route}"`;
    const histogram = this.#durations.get(labels) ?? { counts: buckets.map(() => 0), sum: 0, count: 0 };
    this.#durations.set(labels, histogram);
    const seconds = durationMs / 1_000;
    histogram.sum += seconds;
    histogram.count += 1;
    buckets.forEach((most, index) => {
      if (seconds <= most) histogram.counts[index] = (histogram.counts[index] ?? 0) + 1;
    });
  }

  /** The text of a scrape. A database that does not answer costs its figures, not those of the process. */
  async render(): Promise<string> {
    const flushed = this.#opened.flushed();
    const counters = [
      ...counter("kindlm_requests_total", this.#requests),
      ...counter("kindlm_refusals_total", this.#refusals),
      "# TYPE kindlm_request_duration_seconds histogram",
      ...[...this.#durations].flatMap(([labels, histogram]) => renderHistogram(labels, histogram)),
      ...(flushed === null ? [] : ["# TYPE kindlm_flushes_total counter", `kindlm_flushes_total ${flushed}`]),
    ];
    const figures = await this.#readDatabase().catch(() => ["# TYPE kindlm_database_up gauge", "kindlm_database_up 0"]);
    return `${[...counters, ...figures].join("\n")}\n`;
  }

  async #readDatabase(): Promise<readonly string[]> {
    const { database } = this.#opened;
    // An estimate, as of the last time that the database counted: an exact count of ten million rows takes seconds.
    const { rows } = await sql<{ name: string; rows: number }>`
      select coalesce(p.relname, c.relname) as name, sum(greatest(c.reltuples, 0))::bigint as rows
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      group by 1 order by 1`.execute(database);
    const size = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(database);
    const sent = await sql<{ state: string; count: number }>`
      select case when next_ms is not null then 'waiting' when status between 200 and 299 then 'delivered' else 'failed' end
        as state, count(*) as count from deliveries group by 1 order by 1`.execute(database);
    return [
      "# TYPE kindlm_database_up gauge",
      "kindlm_database_up 1",
      "# TYPE kindlm_database_bytes gauge",
      `kindlm_database_bytes ${size.rows[0]?.bytes ?? 0}`,
      "# TYPE kindlm_rows gauge",
      ...rows.map(({ name, rows: count }) => `kindlm_rows{table="${name}"} ${count}`),
      "# TYPE kindlm_deliveries gauge",
      ...sent.rows.map(({ state, count }) => `kindlm_deliveries{state="${state}"} ${count}`),
    ];
  }
}

function add(counts: Map<string, number>, labels: string): void {
  counts.set(labels, (counts.get(labels) ?? 0) + 1);
}

function counter(name: string, counts: ReadonlyMap<string, number>): readonly string[] {
  return [`# TYPE ${name} counter`, ...[...counts].map(([labels, total]) => `${name}{${labels}} ${total}`)];
}

function renderHistogram(labels: string, { counts, sum, count }: Histogram): readonly string[] {
  const name = "kindlm_request_duration_seconds";
  return [
    ...buckets.map((most, index) => `${name}_bucket{${labels},le="${most}"} ${counts[index] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ];
}

import { sql } from "kysely";
import type { AppWorld } from "../api/app-world.js";
import { explainFailure } from "../database/explain-failure.js";
import type { OpenDatabase } from "../database/open-database.js";
import { applyRetention, dayOf, partitioned } from "../database/partitions.js";
import { Deliverer } from "../webhooks/deliverer.js";
import { isPublicAddress } from "../webhooks/public-address.js";
import type { ServerSettings } from "./parse-settings.js";

/** A start is not slowed down by it. */
const firstRetentionMs = 60_000;
const retentionMs = 3_600_000;
/** How often the server looks for what it has to send to webhooks. */
const deliveryMs = 2_000;

type World = Pick<AppWorld, "now" | "log">;

/** What the server does without being asked: it removes what is too old, and sends what webhooks wait for. */
export function startBackgroundWork(
  opened: OpenDatabase,
  world: World,
  { allowsPrivateWebhooks }: ServerSettings,
): { stop(): Promise<void> } {
  const { database } = opened;
  const mayConnect = allowsPrivateWebhooks ? () => true : isPublicAddress;
  const deliverer = new Deliverer({ ...world, database, mayConnect });
  const first = setTimeout(() => void maintain(opened, world), firstRetentionMs);
  const timers = [
    setInterval(() => void maintain(opened, world), retentionMs),
    setInterval(() => void deliverer.deliverDue(), deliveryMs),
  ];
  return {
    stop() {
      clearTimeout(first);
      for (const timer of timers) clearInterval(timer);
      return deliverer.stop();
    },
  };
}

/** Case rows that the embedded database is made for. */
const mostEmbeddedRows = 10_000_000;

/** Removes what is no longer kept. Never rejects: the next time may succeed. */
async function maintain({ database, kind }: OpenDatabase, { now, log }: World): Promise<void> {
  try {
    await applyRetention(database, now());
    if (kind === "postgres") return;
    // PostgreSQL does so by itself, in a process that the embedded one does not have. One table after the other, so
    // requests come in between; the days before today were done in their time.
    const today = partitioned.map((table) => `${table}_${dayOf(now())}`);
    for (const table of ["runs", "cases", "suite_results", "uncounted_runs", "case_days", ...today]) {
      const { rows: found } = await sql<{ name: string | null }>`select to_regclass(${table})::text as name`.execute(
        database,
      );
      if (typeof found[0]?.name === "string") await sql`vacuum (analyze) ${sql.table(table)}`.execute(database);
    }
    const { rows } = await sql<{ count: number }>`
      select coalesce(sum(greatest(reltuples, 0)), 0)::bigint as count from pg_class
      where oid in (select inhrelid from pg_inherits where inhparent = 'case_results'::regclass)`.execute(database);
    const count = rows[0]?.count ?? 0;
    if (count > mostEmbeddedRows) {
      const message = `The embedded database has ${count} case rows: use PostgreSQL beyond ${mostEmbeddedRows}`;
      log({ level: "warn", code: "too_many_rows", message });
    }
  } catch (error) {
    const failure = explainFailure(error);
    const reason = failure === null ? String(error) : `${failure.message}. ${failure.fix}`;
    log({ level: "error", code: "retention_failed", message: `Retention failed: ${reason}` });
  }
}

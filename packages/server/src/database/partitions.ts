import { sql, type Transaction } from "kysely";
import { addAllToSums } from "../runs/day-sums.js";
import type { Database, Tables } from "./tables.js";

const dayMs = 86_400_000;

export const partitioned = ["case_results", "trials", "transcripts"] as const;
export type Partitioned = (typeof partitioned)[number];

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs);
}

const nameOf = (table: Partitioned, day: number): string => `${table}_${day}`;

/** Makes the partitions of a day, under a lock if they are missing. */
export async function makePartitions(transaction: Transaction<Tables>, day: number): Promise<void> {
  const last = partitioned.at(-1) ?? "transcripts";
  const found = await sql<{ found: string | null }>`select to_regclass(${nameOf(last, day)})::text as found`.execute(
    transaction,
  );
  if (typeof found.rows[0]?.found === "string") return;
  await sql`select pg_advisory_xact_lock(431043105)`.execute(transaction);
  for (const table of partitioned) {
    await sql
      .raw(
        `create table if not exists ${nameOf(table, day)} partition of ${table} for values from (${day}) to (${day + 1})`,
      )
      .execute(transaction);
  }
}

/** Drops the days of a table before `day`, a whole day at a time. Returns the dropped days. */
async function dropPartitions(database: Database, table: Partitioned, day: number): Promise<readonly number[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass order by c.relname`.execute(database);
  const days = rows.map(({ name }) => Number(name.slice(table.length + 1))).filter((one) => one < day);
  for (const one of days) await sql.raw(`drop table ${nameOf(table, one)}`).execute(database);
  return days;
}

const unfinishedMs = 24 * 3_600_000;
/** The audit log is of the organization, and of none of its projects. */
const auditDays = 400;

/**
 * Removes what is older than its project keeps: whole days are dropped once no project keeps them, and rows of projects
 * that keep less before. Uploads that were not completed within 24 hours go too, and the audit log after 400 days, or later if
 * a project keeps its runs for longer.
 */
export async function applyRetention(database: Database, nowMs: number): Promise<void> {
  await addAllToSums(database);
  await database
    .deleteFrom("runs")
    .where("state", "=", "uploading")
    .where("uploaded_ms", "<", nowMs - unfinishedMs)
    .execute();
  const projects = await database
    .selectFrom("projects")
    .select(["id", "org_id", "transcript_days", "case_days", "run_days"])
    .execute();
  const today = dayOf(nowMs);
  const longest = (days: readonly number[]): number => Math.max(0, ...days);
  await dropPartitions(database, "transcripts", today - longest(projects.map((one) => one.transcript_days)));
  const caseDays = longest(projects.map((one) => one.case_days));
  await dropPartitions(database, "trials", today - caseDays);
  await dropPartitions(database, "case_results", today - caseDays);
  for (const { id } of await database.selectFrom("orgs").select("id").execute()) {
    const runDays = projects.filter(({ org_id }) => org_id === id).map(({ run_days }) => run_days);
    const day = today - longest([auditDays, ...runDays]);
    await database
      .deleteFrom("audit_log")
      .where("org_id", "=", id)
      .where("at_ms", "<", day * dayMs)
      .execute();
  }
  for (const project of projects) await removeOld(database, project, today);
}

interface Kept {
  id: string;
  org_id: string;
  transcript_days: number;
  case_days: number;
  run_days: number;
}

async function removeOld(database: Database, { id, org_id, ...keeps }: Kept, today: number): Promise<void> {
  const runsBefore = (day: number) =>
    database
      .selectFrom("runs")
      .select("id")
      .where("org_id", "=", org_id)
      .where("project_id", "=", id)
      .where("day", "<", day);
  const ofRuns = [
    ["transcripts", today - keeps.transcript_days],
    ["trials", today - keeps.case_days],
    ["case_results", today - keeps.case_days],
  ] as const;
  for (const [table, day] of ofRuns) {
    const old = database.deleteFrom(table).where("org_id", "=", org_id).where("day", "<", day);
    await old.where("run_id", "in", runsBefore(day)).execute();
  }
  const webhooks = database
    .selectFrom("webhooks")
    .select("id")
    .where("org_id", "=", org_id)
    .where("project_id", "=", id);
  await database
    .deleteFrom("deliveries")
    .where("org_id", "=", org_id)
    .where("webhook_id", "in", webhooks)
    .where("created_ms", "<", (today - keeps.case_days) * dayMs)
    .execute();
  const day = today - keeps.run_days;
  await database
    .deleteFrom("runs")
    .where("org_id", "=", org_id)
    .where("project_id", "=", id)
    .where("day", "<", day)
    .execute();
  await database
    .deleteFrom("case_days")
    .where("org_id", "=", org_id)
    .where("project_id", "=", id)
    .where("day", "<", day)
    .execute();
}

import { sql, type Transaction } from "kysely";
import type { Database, Tables } from "./tables.js";

/** The first version of the schema, a statement each. Every row has its organization, which every query names. */
const firstSchema: readonly string[] = [
  "create table orgs (id text primary key, name text not null, plan text, created_ms bigint not null)",
  `create table users (id text primary key, email text not null unique, password text not null, created_ms bigint not null)`,
  `create table memberships (
    org_id text not null references orgs, user_id text not null references users, role text not null,
    primary key (org_id, user_id))`,
  `create table projects (
    id text primary key, org_id text not null references orgs, name text not null, accepts text not null,
    transcript_days int not null, case_days int not null, run_days int not null, badge_key text unique,
    created_ms bigint not null, unique (org_id, name))`,
  `create table tokens (
    id text primary key, org_id text not null references orgs, user_id text, name text not null,
    hash text not null unique, scopes text not null, projects text, created_ms bigint not null,
    expires_ms bigint not null, used_ms bigint, revoked_ms bigint)`,
  `create table device_codes (
    hash text primary key, user_code text not null unique, org_id text, user_id text, state text not null,
    expires_ms bigint not null)`,
  "create table setup_links (hash text primary key, expires_ms bigint not null, used_ms bigint)",
  `create table runs (
    id bigint generated always as identity primary key, org_id text not null, project_id text not null, run text not null,
    digest text not null, state text not null, day int not null, started_ms bigint not null, uploaded_ms bigint not null,
    branch text, commit text, verdict text not null, config_hash text not null, seed bigint not null, ci_attempt text,
    shard_index int, shard_of int, superseded_by bigint, note text, cases int not null, passed int not null,
    failed int not null, errored int not null, skipped int not null, pass_rate double precision,
    cost_usd double precision, p50_ms double precision, p95_ms double precision, document jsonb not null,
    unique (project_id, run))`,
  "create index runs_by_time on runs (project_id, started_ms desc, id desc) where state = 'complete' and superseded_by is null",
  "create index runs_by_build on runs (project_id, config_hash, commit) where shard_of is not null",
  `create table parts (
    run_id bigint not null references runs on delete cascade, number int not null, org_id text not null,
    digest text not null, cases int not null, body bytea not null, primary key (run_id, number))`,
  `create table cases (
    key bigint generated always as identity primary key, org_id text not null, project_id text not null,
    case_id text not null, suite text not null, name text not null, model text not null, unique (project_id, case_id))`,
  `create table suite_results (
    run_id bigint not null references runs on delete cascade, org_id text not null, project_id text not null,
    suite text not null, started_ms bigint not null, branch text, passed int not null, total int not null,
    counted int not null, pass_rate double precision, cost_usd double precision, p50_ms double precision,
    primary key (run_id, suite))`,
  "create index suites_by_time on suite_results (project_id, suite, started_ms desc)",
  `create table case_results (
    day int not null, run_id bigint not null, case_key bigint not null, org_id text not null, project_id text not null,
    started_ms bigint not null, status text not null, passes int not null, counted int not null, mixed boolean not null,
    latency_ms double precision, cost_usd double precision, error_code text, agent_hash text, check_hash text,
    primary key (day, run_id, case_key)) partition by range (day)`,
  "create index case_results_by_case on case_results (project_id, case_key, started_ms desc)",
  `create table trials (
    day int not null, run_id bigint not null, case_key bigint not null, org_id text not null, document bytea not null,
    primary key (day, run_id, case_key)) partition by range (day)`,
  `create table transcripts (
    day int not null, run_id bigint not null, case_key bigint not null, org_id text not null, document bytea not null,
    primary key (day, run_id, case_key)) partition by range (day)`,
  `create table case_days (
    org_id text not null, project_id text not null, case_key bigint not null, day int not null,
    agent_hash text not null, check_hash text not null, runs int not null, passed int not null, failed int not null,
    errored int not null, mixed int not null, passes int not null, counted int not null,
    primary key (project_id, case_key, day, agent_hash, check_hash))`,
  "create index case_days_by_day on case_days (project_id, day)",
  `create table baselines (
    id bigint generated always as identity primary key, org_id text not null, project_id text not null,
    suite text not null, run text, set_ms bigint not null, document jsonb not null)`,
  `create table webhooks (
    id text primary key, org_id text not null, project_id text not null, url text not null, secret text not null,
    events text not null, created_ms bigint not null)`,
  `create table deliveries (
    id bigint generated always as identity primary key, org_id text not null, webhook_id text not null references webhooks on delete cascade,
    event text not null, body text not null, tries int not null, next_ms bigint, status int)`,
  `create table audit_log (
    id bigint generated always as identity primary key, org_id text not null, at_ms bigint not null, actor text not null,
    action text not null, subject text not null)`,
];

/** People sign in. */
const signInSchema: readonly string[] = [
  `create table sessions (
    hash text primary key, org_id text not null references orgs, user_id text not null references users,
    expires_ms bigint not null)`,
];

/** Repositories whose GitHub Actions may upload, and the ID tokens that were exchanged. */
const trustSchema: readonly string[] = [
  `create table trusts (
    id text primary key, org_id text not null references orgs, project_id text not null, repository_id text not null,
    ref text, environment text, created_ms bigint not null)`,
  "create index trusts_by_repository on trusts (repository_id)",
  "create table oidc_uses (hash text primary key, org_id text not null, expires_ms bigint not null)",
  "alter table tokens add column trust_id text",
];

/** What a delivery was about, and what became of it. */
const deliverySchema: readonly string[] = [
  `alter table deliveries add column message_id text not null default '', add column created_ms bigint not null default 0,
    add column problem text`,
  "create index deliveries_by_webhook on deliveries (webhook_id, id)",
  "create index deliveries_by_time on deliveries (next_ms, id) where next_ms is not null",
  "create index webhooks_by_project on webhooks (project_id)",
];

/** People invite others. */
const invitationSchema: readonly string[] = [
  `create table invitations (
    id text primary key, org_id text not null references orgs, hash text not null unique, email text not null,
    role text not null, expires_ms bigint not null, unique (org_id, email))`,
];

/** Runs of a branch and cases that can vary are found without reading the others. */
const historySchema: readonly string[] = [
  `create index runs_by_branch on runs (project_id, branch, started_ms desc, id desc)
    where state = 'complete' and superseded_by is null`,
  "create index case_days_that_vary on case_days (project_id, day, case_key) where failed > 0 or mixed > 0",
  // Only retention reads by day alone. Queries of a case must never choose this one instead of its key.
  "drop index case_days_by_day",
  "create index case_days_by_day on case_days using brin (day)",
];

/**
 * A row of trials holds several cases, and is found by the place of the first in its run. What was there holds one each.
 * The parts of uploads that were not completed are of another form now, so their clients begin again.
 */
const blockSchema: readonly string[] = [
  "alter table trials rename column case_key to place",
  "alter table trials add column cases int not null default 1",
  "delete from runs where state = 'uploading'",
];

/**
 * What an upload writes for each case costs less. Keys of cases are of one project, so indexes need not name it, and the daily
 * sums, which every upload changes, leave room in their pages: a row that stays in its page needs no new entries in indexes.
 */
const ingestSchema: readonly string[] = [
  "drop index case_results_by_case",
  "create index case_results_by_case on case_results (case_key, started_ms desc)",
  "alter table case_days drop constraint case_days_pkey",
  "alter table case_days add primary key (case_key, day, agent_hash, check_hash)",
  "alter table case_days set (fillfactor = 45)",
];

/**
 * Results of a case are found by the days on which it ran and the runs of these days. An index of them by case would have an
 * entry on another page for each case of an upload, which took a third of what storing the upload took.
 */
const trendSchema: readonly string[] = [
  "drop index case_results_by_case",
  "create index runs_by_day on runs (project_id, day)",
];

/**
 * Runs are added to the daily sums several at a time. As these rows are rarely written then, their key holds what the ranking of
 * cases reads, which finds it in one place. The parts of uploads that were not completed are of another form now.
 */
const sumSchema: readonly string[] = [
  `create table uncounted_runs (
    run_id bigint primary key references runs on delete cascade, org_id text not null, project_id text not null,
    day int not null)`,
  "alter table case_days drop constraint case_days_pkey",
  `alter table case_days add primary key (case_key, day, agent_hash, check_hash)
    include (org_id, project_id, runs, passed, failed, errored, mixed)`,
  "alter table case_days reset (fillfactor)",
  "delete from runs where state = 'uploading'",
];

/** The statements of each version of the schema, in their order. A version that was published never changes. */
const versions: readonly (readonly string[])[] = [
  firstSchema,
  signInSchema,
  trustSchema,
  deliverySchema,
  invitationSchema,
  historySchema,
  blockSchema,
  ingestSchema,
  trendSchema,
  sumSchema,
];

/** Any number that other programs do not use. */
const migrationLock = 431_043_104;

/** The version of the schema that this server works with. */
export const schemaVersion = versions.length;

/** The schema of the database is of a later version of the server. */
export class NewerSchemaError extends Error {
  constructor(found: number) {
    super(`The database has schema ${found}, but this server knows schemas up to ${schemaVersion}`);
  }
}

/**
 * Brings the schema to the current version, forward only, in one transaction and under a lock: of two servers that
 * start together, one waits. Rejects with NewerSchemaError.
 */
export async function migrate(database: Database): Promise<void> {
  await database.transaction().execute((transaction) => migrateWithin(transaction));
}

/** Migrates up to a version, in a transaction of the caller. */
export async function migrateWithin(transaction: Transaction<Tables>, version = schemaVersion): Promise<void> {
  await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
  await sql`create table if not exists schema_version (version int not null)`.execute(transaction);
  const found = await transaction.selectFrom("schema_version").select("version").executeTakeFirst();
  const before = found?.version ?? 0;
  if (before > version) throw new NewerSchemaError(before);
  for (const statement of versions.slice(before, version).flat()) await sql.raw(statement).execute(transaction);
  if (found === undefined) await transaction.insertInto("schema_version").values({ version }).execute();
  else await transaction.updateTable("schema_version").set({ version }).execute();
}

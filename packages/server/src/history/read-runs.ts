import { sql } from "kysely";
import type { Database, RunRow } from "../database/tables.js";
import type { HistoryOf } from "./read-history.js";

/** As many of the newest runs say which branches and suites a project has. */
const newestRuns = 300;
const mostNames = 100;

const newest = ({ orgId, projectId }: HistoryOf) => sql`
  select id, branch from runs where org_id = ${orgId} and project_id = ${projectId} and state = 'complete'
    and superseded_by is null order by started_ms desc, id desc limit ${newestRuns}`;

/** The branches of the newest runs, by name. */
export async function readBranches(history: HistoryOf): Promise<readonly string[]> {
  const { rows } = await sql<{ branch: string }>`
    select distinct branch from (${newest(history)}) r where branch is not null order by branch limit ${mostNames}`.execute(
    history.database,
  );
  return rows.map(({ branch }) => branch);
}

/** The suites of the newest runs, by name. */
export async function readSuites(history: HistoryOf): Promise<readonly string[]> {
  const { rows } = await sql<{ suite: string }>`
    select distinct s.suite from (${newest(history)}) r
    cross join lateral (
      select suite from suite_results where org_id = ${history.orgId} and run_id = r.id offset 0) s
    order by s.suite limit ${mostNames}`.execute(history.database);
  return rows.map(({ suite }) => suite);
}

/** The cases of a suite in the newest run that has it, those that did not pass first. */
export async function readSuiteCases(
  { database, orgId, projectId }: HistoryOf,
  suite: string,
  most: number,
): Promise<readonly { case_id: string; status: RunStatus; passes: number; counted: number }[]> {
  const run = await database
    .selectFrom("suite_results as s")
    .innerJoin("runs as r", "r.id", "s.run_id")
    .select(["r.id", "r.day"])
    .where("s.org_id", "=", orgId)
    .where("s.project_id", "=", projectId)
    .where("s.suite", "=", suite)
    .where("r.superseded_by", "is", null)
    .orderBy("s.started_ms", "desc")
    .limit(1)
    .executeTakeFirst();
  if (run === undefined) return [];
  return database
    .selectFrom("case_results as c")
    .innerJoin("cases as k", "k.key", "c.case_key")
    .select(["k.case_id", "c.status", "c.passes", "c.counted"])
    .where("c.org_id", "=", orgId)
    .where("c.day", "=", run.day)
    .where("c.run_id", "=", run.id)
    .where("k.suite", "=", suite)
    .orderBy(sql`c.status in ('passed', 'skipped')`)
    .orderBy("k.case_id")
    .limit(most)
    .execute();
}

type RunStatus = "passed" | "failed" | "errored" | "skipped";

/** The cases of a run that did not pass, by ID. */
export async function readNotPassed(
  database: Database,
  { orgId, id, day }: { orgId: string; id: number; day: number },
  most: number,
): Promise<readonly { case_id: string; status: RunStatus; error_code: string | null }[]> {
  return database
    .selectFrom("case_results as c")
    .innerJoin("cases as k", "k.key", "c.case_key")
    .select(["k.case_id", "c.status", "c.error_code"])
    .where("c.org_id", "=", orgId)
    .where("c.day", "=", day)
    .where("c.run_id", "=", id)
    .where("c.status", "in", ["failed", "errored"])
    .orderBy("k.case_id")
    .limit(most)
    .execute();
}

/** The run of the same branch that began before this one; null if there is none. */
export async function findBefore(
  { database, orgId, projectId }: HistoryOf,
  run: Pick<RunRow, "branch" | "started_ms"> & { id: number },
): Promise<string | null> {
  const row = await database
    .selectFrom("runs")
    .select("run")
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("state", "=", "complete")
    .where("superseded_by", "is", null)
    .where("branch", run.branch === null ? "is" : "=", run.branch)
    .where((where) =>
      where.or([
        where("started_ms", "<", run.started_ms),
        where.and([where("started_ms", "=", run.started_ms), where("id", "<", run.id)]),
      ]),
    )
    .orderBy("started_ms", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.run ?? null;
}

/** How many shards of the same build were uploaded, each counted once. */
export async function countShards({ database, orgId, projectId }: HistoryOf, id: number): Promise<number> {
  const { rows } = await sql<{ shards: number }>`
    select count(distinct o.shard_index)::int as shards from runs r
    join runs o on o.org_id = r.org_id and o.project_id = r.project_id and o.config_hash = r.config_hash
      and o.seed = r.seed and o.shard_of = r.shard_of and o.state = 'complete'
      and o.commit is not distinct from r.commit and o.ci_attempt is not distinct from r.ci_attempt
    where r.org_id = ${orgId} and r.project_id = ${projectId} and r.id = ${id}`.execute(database);
  return rows[0]?.shards ?? 0;
}

/** The run that took the place of this one; null if none did. */
export async function findReplacing({ database, orgId, projectId }: HistoryOf, id: number | null) {
  if (id === null) return null;
  const row = await database
    .selectFrom("runs")
    .select("run")
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.run ?? null;
}

/** The projects of an organization that have a run of this ID. */
export async function findRunAnywhere(database: Database, orgId: string, run: string) {
  return database
    .selectFrom("runs as r")
    .innerJoin("projects as p", "p.id", "r.project_id")
    .select(["p.name", "r.started_ms", "r.verdict", "r.branch"])
    .where("p.org_id", "=", orgId)
    .where("r.org_id", "=", orgId)
    .where("r.run", "=", run)
    .where("r.state", "=", "complete")
    .orderBy("p.name")
    .execute();
}

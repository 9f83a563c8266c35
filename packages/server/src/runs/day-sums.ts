import { sql, type Transaction } from "kysely";
import type { Database, Tables } from "../database/tables.js";

/**
 * The daily sums of cases. A run is put on a list in the transaction that stores it, and so many of a project are added to
 * the sums together: one by one they would write each of the same rows again for every run. Who reads sums adds the
 * runs on the list first, so nobody sees a run without its sums.
 */

type Work = Transaction<Tables>;

interface Owner {
  orgId: string;
  projectId: string;
}

/** To add as many takes as long as to store a run or two, which uploads of others wait for. */
const mostAtOnce = 24;

/** Puts a stored run on the list, and adds what is on it once it is long enough. */
export async function countLater(work: Work, owner: Owner & { runId: number; day: number }): Promise<void> {
  const { orgId, projectId, runId, day } = owner;
  const { rows } = await sql<{ waiting: number }>`
    insert into uncounted_runs (run_id, org_id, project_id, day) values (${runId}, ${orgId}, ${projectId}, ${day})
    returning (select count(*)::int from uncounted_runs where org_id = ${orgId} and project_id = ${projectId}) as waiting`.execute(
    work,
  );
  // What another upload is about to add is not waited for.
  if ((rows[0]?.waiting ?? 0) >= mostAtOnce - 1) await addRuns(work, owner, "skip locked");
}

/** Adds all runs of a project that are on the list. */
export async function addToSums(database: Database, owner: Owner): Promise<void> {
  while ((await addRuns(database, owner, "")) === mostAtOnce);
}

/** Adds all runs there are. */
export async function addAllToSums(database: Database): Promise<void> {
  const { rows } = await sql<Owner>`
    select distinct org_id as "orgId", project_id as "projectId" from uncounted_runs order by 1, 2`.execute(database);
  for (const owner of rows) await addToSums(database, owner);
}

/** Takes a run from the list. False if it is in the sums. */
export async function takeUncounted(work: Work, { orgId }: Owner, runId: number): Promise<boolean> {
  const taken = await work
    .deleteFrom("uncounted_runs")
    .where("org_id", "=", orgId)
    .where("run_id", "=", runId)
    .returning("run_id")
    .executeTakeFirst();
  return taken !== undefined;
}

/** Adds the first runs of the list. Rows that others write too are written in one order, and each run is read by its key. */
async function addRuns(work: Database, { orgId, projectId }: Owner, locked: "" | "skip locked"): Promise<number> {
  const { rows } = await sql<{ added: number }>`
    with added as materialized (
      delete from uncounted_runs where org_id = ${orgId} and run_id in (
        select run_id from uncounted_runs where org_id = ${orgId} and project_id = ${projectId}
        order by run_id limit ${mostAtOnce} for update ${sql.raw(locked)})
      returning run_id, day
    ), sums as (
      insert into case_days as d (org_id, project_id, case_key, day, agent_hash, check_hash, runs, passed, failed, errored,
        mixed, passes, counted)
      select ${orgId}::text, ${projectId}::text, c.case_key, a.day, coalesce(c.agent_hash, ''), coalesce(c.check_hash, ''),
        count(*), sum((c.status = 'passed')::int), sum((c.status = 'failed')::int), sum((c.status = 'errored')::int),
        sum(c.mixed::int), sum(c.passes), sum(c.counted)
      from added a cross join lateral (
        select * from case_results
        where org_id = ${orgId} and day = a.day and run_id = a.run_id and status <> 'skipped' offset 0) c
      group by 3, 4, 5, 6 order by c.case_key
      on conflict (case_key, day, agent_hash, check_hash) do update set runs = d.runs + excluded.runs,
        passed = d.passed + excluded.passed, failed = d.failed + excluded.failed, errored = d.errored + excluded.errored,
        mixed = d.mixed + excluded.mixed, passes = d.passes + excluded.passes, counted = d.counted + excluded.counted
    )
    select count(*)::int as added from added`.execute(work);
  return rows[0]?.added ?? 0;
}

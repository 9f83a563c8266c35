import { sql, type RawBuilder, type Transaction } from "kysely";
import { retryConflicts } from "../database/retry-conflicts.js";
import type { Database, Tables } from "../database/tables.js";

/**
 * The daily sums of cases. A run is put on a list in the transaction that stores it, and so many of a project are added to
 * the sums together: one by one they would write each of the same rows again for every run. Who reads sums adds the
 * runs on the list first, so nobody sees a run without its sums.
 */

type Work = Transaction<Tables>;
type Query = RawBuilder<unknown>;

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

/** Adds all runs of a project that are on the list, in a transaction of the caller. */
export async function addToSums(work: Work, owner: Owner): Promise<void> {
  while ((await addRuns(work, owner, "")) === mostAtOnce);
}

/** Adds them outside of a transaction, again if it met an upload that takes other runs out of the sums. */
export async function addNow(database: Database, owner: Owner): Promise<void> {
  while ((await retryConflicts(() => addRuns(database, owner, ""))) === mostAtOnce);
}

/** Adds all runs there are. */
export async function addAllToSums(database: Database): Promise<void> {
  const { rows } = await sql<Owner>`
    select distinct org_id as "orgId", project_id as "projectId" from uncounted_runs order by 1, 2`.execute(database);
  for (const owner of rows) await addNow(database, owner);
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

/** Figures of a row of the sums. */
const figures = ["runs", "passed", "failed", "errored", "mixed", "passes", "counted"] as const;
const keys = sql.raw("case_key, day, agent_hash, check_hash");

/** What the cases of some runs add to the sums, of all cases or of some. Each run is read by its key. */
const addedBy = (runs: Query, { orgId }: Owner, which: Query = sql``): Query => sql`
  select c.case_key, r.day, coalesce(c.agent_hash, '') as agent_hash, coalesce(c.check_hash, '') as check_hash,
    1 as runs, (c.status = 'passed')::int as passed, (c.status = 'failed')::int as failed,
    (c.status = 'errored')::int as errored, c.mixed::int as mixed, c.passes, c.counted
  from ${runs} r cross join lateral (
    select * from case_results
    where org_id = ${orgId} and day = r.day and run_id = r.run_id and status <> 'skipped' ${which} offset 0) c`;

/**
 * The sums of a project as if all runs of the list were added, of all cases or of some. To add them first is faster: this is
 * for readers while nothing can be written.
 */
export function sumsWithList(owner: Owner, which: Query): Query {
  const ofProject = sql`org_id = ${owner.orgId} and project_id = ${owner.projectId}`;
  const list = sql`(select run_id, day from uncounted_runs where ${ofProject})`;
  return sql`
    select ${keys}, ${sql.raw(figures.join(", "))} from case_days where ${ofProject} ${which}
    union all ${addedBy(list, owner, which)}`;
}

/** Adds the first runs of the list. Rows that others write too are written in one order. */
async function addRuns(database: Database, owner: Owner, locked: "" | "skip locked"): Promise<number> {
  const { orgId, projectId } = owner;
  const sums = figures.map((name) => `sum(${name})`).join(", ");
  const both = figures.map((name) => `${name} = d.${name} + excluded.${name}`).join(", ");
  const { rows } = await sql<{ added: number }>`
    with added as materialized (
      delete from uncounted_runs where org_id = ${orgId} and run_id in (
        select run_id from uncounted_runs where org_id = ${orgId} and project_id = ${projectId}
        order by run_id limit ${mostAtOnce} for update ${sql.raw(locked)})
      returning run_id, day
    ), sums as (
      insert into case_days as d (org_id, project_id, ${keys}, ${sql.raw(figures.join(", "))})
      select ${orgId}::text, ${projectId}::text, ${keys}, ${sql.raw(sums)} from (${addedBy(sql`added`, owner)}) x
      group by ${keys} order by case_key
      on conflict (${keys}) do update set ${sql.raw(both)}
    )
    select count(*)::int as added from added`.execute(database);
  return rows[0]?.added ?? 0;
}

import { sql, type Transaction } from "kysely";
import type { Tables } from "../database/tables.js";
import { takeUncounted } from "./day-sums.js";

type Work = Transaction<Tables>;

/** Whose runs are meant. */
interface Owner {
  orgId: string;
  projectId: string;
}

/** A run with what its rows are found by. */
interface RunPlace {
  id: number;
  day: number;
  shard_of: number | null;
  superseded_by: number | null;
}

const place = ["id", "day", "shard_of", "superseded_by"] as const;

/**
 * Marks runs as replaced by `owner.runId`, and with them what was merged of them before: its cases count once, those of
 * the newest.
 */
export async function supersede(
  work: Work,
  { orgId, projectId, runId }: Owner & { runId: number },
  runs: readonly string[],
): Promise<void> {
  const ofProject = work
    .selectFrom("runs")
    .select(place)
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("id", "!=", runId)
    .orderBy("id");
  const named = await ofProject.where("run", "in", runs).execute();
  const merged = [...new Set(named.flatMap(({ superseded_by: id }) => (id === null || id === runId ? [] : [id])))];
  const earlier = merged.length === 0 ? [] : await ofProject.where("id", "in", merged).execute();
  const replaced = [...named, ...earlier];
  if (replaced.length === 0) return;
  for (const run of replaced) {
    // One after the other: each locks the days of its cases.
    if (run.superseded_by === null) await uncount(work, { orgId, projectId }, run);
  }
  await work
    .updateTable("runs")
    .set({ superseded_by: runId })
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where(
      "id",
      "in",
      replaced.map(({ id }) => id),
    )
    .execute();
}

/** Marks shards as replaced by the one that was run again. What was merged of them stays until that is merged again. */
export async function hideRuns(
  work: Work,
  { orgId, projectId, runId }: Owner & { runId: number },
  runs: readonly string[],
): Promise<void> {
  await work
    .updateTable("runs")
    .set({ superseded_by: runId })
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("run", "in", runs)
    .where("superseded_by", "is", null)
    .execute();
}

/** Removes a run with everything that was stored of it, and what the server merged of it. */
export async function removeRun(work: Work, owner: Owner, run: RunPlace): Promise<void> {
  const made = await findMade(work, owner, "id", run.superseded_by ?? 0);
  for (const one of made) {
    // What was merged before of the same shards is of no use either.
    for (const earlier of await findMade(work, owner, "superseded_by", one.id)) await removeRows(work, owner, earlier);
    await removeRows(work, owner, one);
  }
  await removeRows(work, owner, run);
}

async function removeRows(work: Work, owner: Owner, run: RunPlace): Promise<void> {
  const { orgId, projectId } = owner;
  if (run.superseded_by === null) await uncount(work, owner, run);
  for (const table of ["transcripts", "trials", "case_results"] as const) {
    const rows = work.deleteFrom(table).where("org_id", "=", orgId);
    await rows.where("run_id", "=", run.id).where("day", "=", run.day).execute();
  }
  await work
    .updateTable("runs")
    .set({ superseded_by: null })
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("superseded_by", "=", run.id)
    .execute();
  await work.deleteFrom("runs").where("org_id", "=", orgId).where("id", "=", run.id).execute();
}

/** Runs that the server merged. */
function findMade(work: Work, { orgId, projectId }: Owner, by: "id" | "superseded_by", id: number) {
  return work
    .selectFrom("runs")
    .select(place)
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where(by, "=", id)
    .where("run", "like", "merged-%")
    .orderBy("id")
    .execute();
}

/** Takes the cases of a run out of the sums of their day. Those of shards are in none. */
async function uncount(work: Work, { orgId, projectId }: Owner, run: RunPlace): Promise<void> {
  if (run.shard_of !== null) return;
  await work.deleteFrom("suite_results").where("org_id", "=", orgId).where("run_id", "=", run.id).execute();
  if (await takeUncounted(work, { orgId, projectId }, run.id)) return;
  const summed = sql`
    case_days d join case_results c on c.org_id = d.org_id and c.case_key = d.case_key and c.day = d.day
      and coalesce(c.agent_hash, '') = d.agent_hash and coalesce(c.check_hash, '') = d.check_hash
    where d.org_id = ${orgId} and d.project_id = ${projectId} and c.run_id = ${run.id}::bigint
      and c.day = ${run.day}::int and c.status <> 'skipped'`;
  // In the order in which uploads lock them.
  await sql`select 1 from ${summed} order by d.case_key for update of d`.execute(work);
  await sql`
    update case_days as d set runs = d.runs - 1, passed = d.passed - (x.status = 'passed')::int,
      failed = d.failed - (x.status = 'failed')::int, errored = d.errored - (x.status = 'errored')::int,
      mixed = d.mixed - x.mixed::int, passes = d.passes - x.passes, counted = d.counted - x.counted
    from (select d.case_key, d.agent_hash, d.check_hash, c.status, c.mixed, c.passes, c.counted from ${summed}) as x
    where d.org_id = ${orgId} and d.project_id = ${projectId} and d.day = ${run.day}::int and d.case_key = x.case_key
      and d.agent_hash = x.agent_hash and d.check_hash = x.check_hash`.execute(work);
}

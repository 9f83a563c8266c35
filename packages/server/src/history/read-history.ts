import { sql, type RawBuilder } from "kysely";
import { dayOf } from "../database/partitions.js";
import type { Database } from "../database/tables.js";
import { writeIfPossible } from "../database/write-if-possible.js";
import { addNow, sumsWithList } from "../runs/day-sums.js";

/** Whose history is read. */
export interface HistoryOf {
  database: Database;
  orgId: string;
  projectId: string;
}

export interface FlakyCase {
  case_id: string;
  suite: string;
  runs: number;
  passed: number;
  failed: number;
  errored: number;
  /** Runs in which some trials passed and some did not. */
  mixed: number;
  /** Runs with the rarer outcome of the same agent and check. */
  rarer: number;
  /** From 0 to 1: the share of runs that are mixed, or whose outcome is the rarer one of the same agent and check. */
  flakiness: number;
}

/**
 * The cases that vary most: within a run, or between runs while agent and check stay the same. A case that failed only
 * after its agent or check changed is not among them.
 */
export async function readFlaky(
  { database, orgId, projectId }: HistoryOf,
  { days, nowMs, most }: { days: number; nowMs: number; most: number },
): Promise<readonly FlakyCase[]> {
  const owner = { orgId, projectId };
  const isAdded = await writeIfPossible(() => addNow(database, owner));
  const since = dayOf(nowMs) - days;
  const sumsOf = (which: RawBuilder<unknown>) =>
    isAdded
      ? sql`select * from case_days where org_id = ${orgId} and project_id = ${projectId} ${which}`
      : sumsWithList(owner, which);
  // Case by case, and only those that can vary: one sum over all rows does not fit into the memory of a query.
  const { rows } = await sql<FlakyCase>`
    select c.case_id, c.suite, s.runs, s.passed, s.failed, s.errored, s.mixed, s.rarer,
      s.varied::double precision / greatest(s.passed + s.failed, 1) as flakiness
    from (
      select distinct case_key as key from (${sumsOf(sql`and day >= ${since}`)}) d where failed > 0 or mixed > 0) v
    cross join lateral (
      select sum(runs)::int as runs, sum(passed)::int as passed, sum(failed)::int as failed,
        sum(errored)::int as errored, sum(mixed)::int as mixed, sum(least(passed, failed))::int as rarer,
        sum(greatest(mixed, least(passed, failed)))::int as varied
      from (
        select sum(runs) as runs, sum(passed) as passed, sum(failed) as failed, sum(errored) as errored,
          sum(mixed) as mixed
        from (${sumsOf(sql`and day >= ${since} and case_key = v.key`)}) d group by agent_hash, check_hash
      ) same
    ) s
    join cases c on c.key = v.key and c.org_id = ${orgId}
    where s.varied > 0
    order by flakiness desc, s.runs desc, c.case_id limit ${most}`.execute(database);
  return rows;
}

export interface ComparedCase {
  case_id: string;
  before: { status: string; passes: number; counted: number } | null;
  after: { status: string; passes: number; counted: number } | null;
  same_check: boolean | null;
  same_agent: boolean | null;
}

interface JoinedCase {
  case_id: string;
  b_status: string | null;
  b_passes: number;
  b_counted: number;
  a_status: string | null;
  a_passes: number;
  a_counted: number;
  same_check: boolean | null;
  same_agent: boolean | null;
}

interface RunPlace {
  id: number;
  day: number;
}

/** How many cases both runs have, and of how many the agent or the check is another one. */
export async function compareIdentities(
  { database, orgId, projectId }: HistoryOf,
  before: RunPlace,
  after: RunPlace,
): Promise<{ cases: number; agents: number; checks: number }> {
  const { rows } = await sql<{ cases: number; agents: number; checks: number }>`
    select count(*)::int as cases, (count(*) filter (where a.agent_hash <> b.agent_hash))::int as agents,
      (count(*) filter (where a.check_hash <> b.check_hash))::int as checks
    from case_results a join case_results b on b.case_key = a.case_key and b.org_id = a.org_id
      and b.project_id = a.project_id and b.run_id = ${before.id} and b.day = ${before.day}
    where a.org_id = ${orgId} and a.project_id = ${projectId} and a.run_id = ${after.id} and a.day = ${after.day}`.execute(
    database,
  );
  return rows[0] ?? { cases: 0, agents: 0, checks: 0 };
}

/** The cases that two runs do not have alike. */
export async function compareRuns(
  { database, orgId, projectId }: HistoryOf,
  before: RunPlace,
  after: RunPlace,
): Promise<readonly ComparedCase[]> {
  const side = ({ id, day }: RunPlace) => sql`
    select case_key, status, passes, counted, agent_hash, check_hash from case_results
    where org_id = ${orgId} and run_id = ${id} and day = ${day}`;
  const { rows } = await sql<JoinedCase>`
    select k.case_id, b.status as b_status, b.passes as b_passes, b.counted as b_counted, a.status as a_status,
      a.passes as a_passes, a.counted as a_counted, a.check_hash = b.check_hash as same_check,
      a.agent_hash = b.agent_hash as same_agent
    from (${side(before)}) b full join (${side(after)}) a on a.case_key = b.case_key
    join cases k on k.key = coalesce(a.case_key, b.case_key) and k.project_id = ${projectId}
    where (a.status, a.passes, a.counted) is distinct from (b.status, b.passes, b.counted)
    order by k.case_id`.execute(database);
  return rows.map((row) => ({
    case_id: row.case_id,
    before: row.b_status === null ? null : { status: row.b_status, passes: row.b_passes, counted: row.b_counted },
    after: row.a_status === null ? null : { status: row.a_status, passes: row.a_passes, counted: row.a_counted },
    same_check: row.same_check,
    same_agent: row.same_agent,
  }));
}

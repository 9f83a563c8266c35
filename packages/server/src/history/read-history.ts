import { wilsonInterval } from "@kindlm/core/upload";
import { sql } from "kysely";
import { dayOf } from "../database/partitions.js";
import type { Database } from "../database/tables.js";

/** Whose history is read. */
export interface HistoryOf {
  database: Database;
  orgId: string;
  projectId: string;
}

export interface TrendPoint {
  run: string;
  started_ms: number;
  passed: number;
  counted: number;
  rate: number | null;
  interval: readonly [number, number] | null;
  cost_usd: number | null;
  latency_ms: number | null;
  /** What is not as in the point before it. The config of a suite is its cases with their agents and checks, and the gates. */
  changed: readonly ("agent" | "check" | "config")[];
}

/** The newest runs of a suite, the oldest first. */
export async function readSuiteTrend(
  { database, orgId, projectId }: HistoryOf,
  suite: string,
  branch: string | null,
  most: number,
): Promise<readonly TrendPoint[]> {
  const rows = await database
    .selectFrom("suite_results as s")
    .innerJoin("runs as r", "r.id", "s.run_id")
    .select(["r.run", "s.started_ms", "s.passed", "s.counted", "s.cost_usd", "s.p50_ms as latency_ms", "r.config_hash"])
    .where("s.org_id", "=", orgId)
    .where("s.project_id", "=", projectId)
    .where("s.suite", "=", suite)
    .where("r.superseded_by", "is", null)
    .$if(branch !== null, (query) => query.where("s.branch", "=", branch))
    .orderBy("s.started_ms", "desc")
    .limit(most)
    .execute();
  return toPoints(rows.map(({ config_hash, ...row }) => ({ row, hashes: { config: config_hash } })));
}

/** The newest results of a case, the oldest first: its passes of its trials. */
export async function readCaseTrend(
  { database, orgId, projectId }: HistoryOf,
  caseId: string,
  branch: string | null,
  most: number,
): Promise<readonly TrendPoint[]> {
  const rows = await database
    .selectFrom("case_results as c")
    .innerJoin("runs as r", "r.id", "c.run_id")
    .select([
      "r.run",
      "c.started_ms",
      "c.passes as passed",
      "c.counted",
      "c.cost_usd",
      "c.latency_ms",
      "c.agent_hash",
      "c.check_hash",
    ])
    .where("c.org_id", "=", orgId)
    .where("c.project_id", "=", projectId)
    // As one value, so the newest rows come from the index in their order. A join would read and sort all of the case.
    .where("c.case_key", "=", (work) =>
      work
        .selectFrom("cases as k")
        .select("k.key")
        .where("k.org_id", "=", orgId)
        .where("k.project_id", "=", projectId)
        .where("k.case_id", "=", caseId),
    )
    .where("r.state", "=", "complete")
    .where("r.superseded_by", "is", null)
    .$if(branch !== null, (query) => query.where("r.branch", "=", branch))
    .orderBy("c.started_ms", "desc")
    .limit(most)
    .execute();
  return toPoints(
    rows.map(({ agent_hash, check_hash, ...row }) => ({ row, hashes: { agent: agent_hash, check: check_hash } })),
  );
}

interface DatedRow {
  row: Omit<TrendPoint, "rate" | "interval" | "changed">;
  /** Null where it is not known, as in a skipped case. */
  hashes: { agent?: string | null; check?: string | null; config?: string | null };
}

const identities = ["agent", "check", "config"] as const;

/** From the oldest to the newest; the rows come the other way around. */
function toPoints(rows: readonly DatedRow[]): readonly TrendPoint[] {
  const before: DatedRow["hashes"] = {};
  return rows.toReversed().map(({ row, hashes }) => {
    const changed = identities.filter((name) => {
      const [hash = null, earlier = null] = [hashes[name], before[name]];
      if (hash !== null) before[name] = hash;
      return hash !== null && earlier !== null && hash !== earlier;
    });
    const { passed, counted } = row;
    const rate = counted === 0 ? null : passed / counted;
    return { ...row, rate, interval: wilsonInterval(passed, counted), changed };
  });
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
  const since = dayOf(nowMs) - days;
  const { rows } = await sql<FlakyCase>`
    with same as (
      select case_key, sum(runs)::int as runs, sum(passed)::int as passed, sum(failed)::int as failed,
        sum(errored)::int as errored, sum(mixed)::int as mixed
      from case_days
      where org_id = ${orgId} and project_id = ${projectId} and day >= ${since}
      group by case_key, agent_hash, check_hash
    ), scored as (
      select case_key, sum(runs)::int as runs, sum(passed)::int as passed, sum(failed)::int as failed,
        sum(errored)::int as errored, sum(mixed)::int as mixed, sum(least(passed, failed))::int as rarer,
        sum(greatest(mixed, least(passed, failed)))::int as varied
      from same group by case_key
    )
    select c.case_id, c.suite, s.runs, s.passed, s.failed, s.errored, s.mixed, s.rarer,
      s.varied::double precision / greatest(s.passed + s.failed, 1) as flakiness
    from scored s join cases c on c.key = s.case_key and c.org_id = ${orgId}
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

import { wilsonInterval } from "@kindlm/core/upload";
import { sql, type RawBuilder } from "kysely";
import type { HistoryOf } from "./read-history.js";

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

type Row<Hash extends string> = Omit<TrendPoint, "rate" | "interval" | "changed"> & Record<Hash, string | null>;

/** The newest runs of a suite, the oldest first. */
export async function readSuiteTrend(
  history: HistoryOf,
  suite: string,
  branch: string | null,
  most: number,
): Promise<readonly TrendPoint[]> {
  const { orgId, projectId } = history;
  const rows = await readNewest<Row<"config_hash">>(history, branch, most, {
    hashes: sql`r.config_hash`,
    ofRun: sql`
      select passed, counted, cost_usd, p50_ms as latency_ms from suite_results
      where org_id = ${orgId} and run_id = r.id and suite = ${suite}`,
    runsOf: (shown) => sql`
      select * from runs where ${shown} and id in (
        select run_id from suite_results where org_id = ${orgId} and project_id = ${projectId} and suite = ${suite})`,
  });
  return toPoints(rows.map(({ config_hash, ...row }) => ({ row, hashes: { config: config_hash } })));
}

/** The newest results of a case, the oldest first: its passes of its trials. Runs that skipped it are left out. */
export async function readCaseTrend(
  history: HistoryOf,
  caseId: string,
  branch: string | null,
  most: number,
): Promise<readonly TrendPoint[]> {
  const { orgId, projectId } = history;
  const key = sql`(
    select key from cases where org_id = ${orgId} and project_id = ${projectId} and case_id = ${caseId})`;
  const rows = await readNewest<Row<"agent_hash" | "check_hash">>(history, branch, most, {
    hashes: sql`x.agent_hash, x.check_hash`,
    ofRun: sql`
      select passes as passed, counted, cost_usd, latency_ms, agent_hash, check_hash from case_results
      where org_id = ${orgId} and day = r.day and run_id = r.id and case_key = ${key} and status <> 'skipped'`,
    runsOf: (shown) => sql`
      select o.* from (
        select day from case_days where org_id = ${orgId} and project_id = ${projectId} and case_key = ${key}
        union select day from uncounted_runs where org_id = ${orgId} and project_id = ${projectId}) d
      cross join lateral (select * from runs where ${shown} and day = d.day offset 0) o`,
  });
  return toPoints(
    rows.map(({ agent_hash, check_hash, ...row }) => ({ row, hashes: { agent: agent_hash, check: check_hash } })),
  );
}

/** As many runs are looked at for each row. */
const runsPerRow = 3;

type Query = RawBuilder<unknown>;

interface Wanted {
  hashes: Query;
  /** The row of the run `r`, which has at most one. */
  ofRun: Query;
  /** The runs that can have a row, of those that are shown. */
  runsOf(shown: Query): Query;
}

/**
 * The newest rows of what runs have at most one of, the newest first. It looks them up run by run, which takes the same
 * time whatever the database knows of its tables: `offset 0` prevents another order. If too few of the newest runs
 * have a row, it looks at all that can have one.
 */
async function readNewest<Found>(
  { database, orgId, projectId }: HistoryOf,
  branch: string | null,
  most: number,
  { hashes, ofRun, runsOf }: Wanted,
): Promise<readonly Found[]> {
  const shown = sql`org_id = ${orgId} and project_id = ${projectId} and state = 'complete' and superseded_by is null
    ${branch === null ? sql`` : sql`and branch = ${branch}`}`;
  const probed = most * runsPerRow;
  const read = async (runs: Query) => {
    const { rows } = await sql<Found>`
      select r.run, r.started_ms, x.passed, x.counted, x.cost_usd, x.latency_ms, ${hashes} from (${runs}) r
      cross join lateral (${ofRun} offset 0) x
      order by r.started_ms desc, r.id desc limit ${most}`.execute(database);
    return rows;
  };
  const rows = await read(sql`
    select id, run, config_hash, started_ms, day from runs where ${shown}
    order by started_ms desc, id desc limit ${probed}`);
  if (rows.length === most) return rows;
  const further = await sql`
    select 1 from runs where ${shown} order by started_ms desc, id desc offset ${probed} limit 1`.execute(database);
  return further.rows.length === 0 ? rows : read(runsOf(shown));
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

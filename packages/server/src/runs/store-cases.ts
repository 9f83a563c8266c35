import { sql, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../database/tables.js";
import { rowsOf } from "./columns.js";
import { nameColumns, resultColumns, transcriptColumns, trialColumns, type PackedCases } from "./pack-cases.js";

/** The run that the cases belong to, as their rows name it. */
export interface CaseOwner {
  orgId: string;
  projectId: string;
  runId: number;
  /** The day of the upload, counted from the epoch. */
  day: number;
  startedMs: number;
  /** False for a shard: the merged run is counted instead. */
  isCounted: boolean;
}

type Work = Transaction<Tables>;

/**
 * Writes cases with their trials and transcripts, after the `before` cases of the run that are there. It is one statement,
 * since the embedded database waits between two for a thread that has other work.
 */
export async function storeCases(work: Work, owner: CaseOwner, packed: PackedCases, before = 0): Promise<void> {
  if (packed.ids.length === 0) return;
  const keys = await keysOf(work, owner, packed);
  const writes = [insertResults(owner, packed, keys), insertTrials(owner, packed, before)];
  if (packed.transcripts !== null) writes.push(insertTranscripts(owner, packed.transcripts));
  const named = writes.map((write, index) => sql`${sql.ref(`write_${index}`)} as (${write})`);
  await sql`with ${sql.join(named)} select`.execute(work);
}

/** The keys of the cases in their order, as PostgreSQL writes an array. Cases that are new are named first. */
async function keysOf(work: Work, owner: CaseOwner, packed: PackedCases): Promise<string> {
  const known = await findKeys(work, owner, packed);
  if (known.missing === 0) return known.keys;
  await nameCases(work, owner, packed);
  return (await findKeys(work, owner, packed)).keys;
}

async function findKeys(work: Work, { orgId, projectId }: CaseOwner, { names: [ids] }: PackedCases) {
  const { rows } = await sql<{ keys: string; missing: number }>`
    select array_agg(c.key order by x.place)::text as keys, (count(*) - count(c.key))::int as missing
    from unnest(${ids}::text[]) with ordinality as x(id, place)
    left join cases c on c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id`.execute(work);
  const [found] = rows;
  if (found === undefined) throw new Error("An aggregate had no row");
  return found;
}

async function nameCases(work: Work, { orgId, projectId }: CaseOwner, { names }: PackedCases) {
  await sql`
    insert into cases (org_id, project_id, case_id, suite, name, model)
    select ${orgId}::text, ${projectId}::text, x.id, x.suite, x.name, x.model from ${rowsOf(nameColumns, names)}
    where not exists (select from cases c where c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id)
    order by x.id on conflict (project_id, case_id) do nothing`.execute(work);
}

type Statement = RawBuilder<unknown>;

const keyedColumns = [["key", "bigint"], ...resultColumns] as const;

function insertResults(owner: CaseOwner, { results }: PackedCases, keys: string): Statement {
  const { orgId, projectId, runId, day, startedMs } = owner;
  return sql`
    insert into case_results (day, run_id, case_key, org_id, project_id, started_ms, status, passes, counted, mixed,
      latency_ms, cost_usd, error_code, agent_hash, check_hash)
    select ${day}::int, ${runId}::bigint, x.key, ${orgId}::text, ${projectId}::text, ${startedMs}::bigint, x.status,
      x.passes, x.counted, x.mixed, x.latency, x.cost, x.code, x.agent, x."check"
    from ${rowsOf(keyedColumns, [keys, ...results])} order by x.key`;
}

function insertTrials({ orgId, runId, day }: CaseOwner, { trials }: PackedCases, before: number): Statement {
  return sql`
    insert into trials (day, run_id, place, cases, org_id, document)
    select ${day}::int, ${runId}::bigint, ${before}::int + x.place, x.cases, ${orgId}::text, decode(x.document, 'base64')
    from ${rowsOf(trialColumns, trials)} order by x.place`;
}

function insertTranscripts(
  { orgId, projectId, runId, day }: CaseOwner,
  transcripts: NonNullable<PackedCases["transcripts"]>,
): Statement {
  return sql`
    insert into transcripts (day, run_id, case_key, org_id, document)
    select ${day}::int, ${runId}::bigint, c.key, ${orgId}::text, decode(x.document, 'base64')
    from ${rowsOf(transcriptColumns, transcripts)}
    join cases c on c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id
    order by c.key`;
}

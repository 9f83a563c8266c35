import { sql, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../database/tables.js";
import type { PackedCases } from "./pack-cases.js";

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
 * Writes cases with their trials, transcripts and daily sums, after the `before` cases of the run that are there. Rows that uploads
 * share are written in one order, so two uploads wait for each other instead of a deadlock. It is one statement, since the
 * embedded database waits between two for a thread that has other work.
 */
export async function storeCases(work: Work, owner: CaseOwner, packed: PackedCases, before = 0): Promise<void> {
  if (packed.ids.length === 0) return;
  const keys = await keysOf(work, owner, packed);
  const writes = [insertResults(owner, packed, keys), insertTrials(owner, packed, before)];
  if (packed.transcripts !== null) writes.push(insertTranscripts(owner, packed.transcripts));
  if (owner.isCounted) writes.push(addToDays(owner, packed, keys));
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

async function findKeys(work: Work, { orgId, projectId }: CaseOwner, { results }: PackedCases) {
  const { rows } = await sql<{ keys: string; missing: number }>`
    select array_agg(c.key order by x.place)::text as keys, (count(*) - count(c.key))::int as missing
    from unnest(${results.id}::text[]) with ordinality as x(id, place)
    left join cases c on c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id`.execute(work);
  const [found] = rows;
  if (found === undefined) throw new Error("An aggregate had no row");
  return found;
}

async function nameCases(work: Work, { orgId, projectId }: CaseOwner, { results, names }: PackedCases) {
  await sql`
    insert into cases (org_id, project_id, case_id, suite, name, model)
    select ${orgId}::text, ${projectId}::text, x.id, x.suite, x.name, x.model
    from unnest(${results.id}::text[], ${names.suite}::text[], ${names.name}::text[], ${names.model}::text[])
      as x(id, suite, name, model)
    where not exists (select from cases c where c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id)
    order by x.id on conflict (project_id, case_id) do nothing`.execute(work);
}

type Statement = RawBuilder<unknown>;

function insertResults(owner: CaseOwner, { results: x }: PackedCases, keys: string): Statement {
  const { orgId, projectId, runId, day, startedMs } = owner;
  return sql`
    insert into case_results (day, run_id, case_key, org_id, project_id, started_ms, status, passes, counted, mixed,
      latency_ms, cost_usd, error_code, agent_hash, check_hash)
    select ${day}::int, ${runId}::bigint, x.key, ${orgId}::text, ${projectId}::text, ${startedMs}::bigint, x.status,
      x.passes, x.counted, x.mixed, x.latency, x.cost, x.code, x.agent, x."check"
    from unnest(${keys}::bigint[], ${x.status}::text[], ${x.passes}::int[], ${x.counted}::int[], ${x.mixed}::boolean[],
        ${x.latency}::double precision[], ${x.cost}::double precision[], ${x.code}::text[], ${x.agent}::text[],
        ${x.check}::text[])
      as x(key, status, passes, counted, mixed, latency, cost, code, agent, "check")
    order by x.key`;
}

function insertTrials({ orgId, runId, day }: CaseOwner, { trials }: PackedCases, before: number): Statement {
  return sql`
    insert into trials (day, run_id, place, cases, org_id, document)
    select ${day}::int, ${runId}::bigint, ${before}::int + x.place, x.cases, ${orgId}::text, decode(x.document, 'base64')
    from unnest(${trials.place}::int[], ${trials.cases}::int[], ${trials.document}::text[]) as x(place, cases, document)
    order by x.place`;
}

function insertTranscripts(
  { orgId, projectId, runId, day }: CaseOwner,
  { id, document }: NonNullable<PackedCases["transcripts"]>,
): Statement {
  return sql`
    insert into transcripts (day, run_id, case_key, org_id, document)
    select ${day}::int, ${runId}::bigint, c.key, ${orgId}::text, decode(x.document, 'base64')
    from unnest(${id}::text[], ${document}::text[]) as x(id, document)
    join cases c on c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id
    order by c.key`;
}

function addToDays({ orgId, projectId, day }: CaseOwner, { results: x }: PackedCases, keys: string): Statement {
  return sql`
    insert into case_days as d (org_id, project_id, case_key, day, agent_hash, check_hash, runs, passed, failed, errored,
      mixed, passes, counted)
    select ${orgId}::text, ${projectId}::text, x.key, ${day}::int, coalesce(x.agent, ''), coalesce(x."check", ''), 1,
      (x.status = 'passed')::int, (x.status = 'failed')::int, (x.status = 'errored')::int, x.mixed::int, x.passes,
      x.counted
    from unnest(${keys}::bigint[], ${x.status}::text[], ${x.passes}::int[], ${x.counted}::int[], ${x.mixed}::boolean[],
        ${x.agent}::text[], ${x.check}::text[])
      as x(key, status, passes, counted, mixed, agent, "check")
    where x.status <> 'skipped'
    order by x.key
    on conflict (case_key, day, agent_hash, check_hash) do update set runs = d.runs + 1,
      passed = d.passed + excluded.passed, failed = d.failed + excluded.failed, errored = d.errored + excluded.errored,
      mixed = d.mixed + excluded.mixed, passes = d.passes + excluded.passes, counted = d.counted + excluded.counted`;
}

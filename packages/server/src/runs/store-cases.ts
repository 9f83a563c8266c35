import { sql, type Transaction } from "kysely";
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
 * share are written in one order, so two uploads wait for each other instead of a deadlock; the daily sums come last,
 * since all uploads of a day write the same.
 */
export async function storeCases(work: Work, owner: CaseOwner, packed: PackedCases, before = 0): Promise<void> {
  if (packed.ids.length === 0) return;
  await nameCases(work, owner, packed);
  await insertResults(work, owner, packed);
  await insertTrials(work, owner, packed, before);
  if (packed.transcripts !== null) await insertTranscripts(work, owner, packed.transcripts);
  if (owner.isCounted) await addToDays(work, owner, packed);
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

async function insertResults(work: Work, owner: CaseOwner, { results: x }: PackedCases) {
  const { orgId, projectId, runId, day, startedMs } = owner;
  await sql`
    insert into case_results (day, run_id, case_key, org_id, project_id, started_ms, status, passes, counted, mixed,
      latency_ms, cost_usd, error_code, agent_hash, check_hash)
    select ${day}::int, ${runId}::bigint, c.key, ${orgId}::text, ${projectId}::text, ${startedMs}::bigint, x.status,
      x.passes, x.counted, x.mixed, x.latency, x.cost, x.code, x.agent, x."check"
    from unnest(${x.id}::text[], ${x.status}::text[], ${x.passes}::int[], ${x.counted}::int[], ${x.mixed}::boolean[],
        ${x.latency}::double precision[], ${x.cost}::double precision[], ${x.code}::text[], ${x.agent}::text[],
        ${x.check}::text[])
      as x(id, status, passes, counted, mixed, latency, cost, code, agent, "check")
    join cases c on c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id
    order by c.key`.execute(work);
}

async function insertTrials(work: Work, { orgId, runId, day }: CaseOwner, { trials }: PackedCases, before: number) {
  await sql`
    insert into trials (day, run_id, place, cases, org_id, document)
    select ${day}::int, ${runId}::bigint, ${before}::int + x.place, x.cases, ${orgId}::text, decode(x.document, 'base64')
    from unnest(${trials.place}::int[], ${trials.cases}::int[], ${trials.document}::text[]) as x(place, cases, document)
    order by x.place`.execute(work);
}

async function insertTranscripts(
  work: Work,
  { orgId, projectId, runId, day }: CaseOwner,
  { id, document }: NonNullable<PackedCases["transcripts"]>,
) {
  await sql`
    insert into transcripts (day, run_id, case_key, org_id, document)
    select ${day}::int, ${runId}::bigint, c.key, ${orgId}::text, decode(x.document, 'base64')
    from unnest(${id}::text[], ${document}::text[]) as x(id, document)
    join cases c on c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id
    order by c.key`.execute(work);
}

async function addToDays(work: Work, { orgId, projectId, day }: CaseOwner, { results: x }: PackedCases) {
  await sql`
    insert into case_days as d (org_id, project_id, case_key, day, agent_hash, check_hash, runs, passed, failed, errored,
      mixed, passes, counted)
    select ${orgId}::text, ${projectId}::text, c.key, ${day}::int, coalesce(x.agent, ''), coalesce(x."check", ''), 1,
      (x.status = 'passed')::int, (x.status = 'failed')::int, (x.status = 'errored')::int, x.mixed::int, x.passes,
      x.counted
    from unnest(${x.id}::text[], ${x.status}::text[], ${x.passes}::int[], ${x.counted}::int[], ${x.mixed}::boolean[],
        ${x.agent}::text[], ${x.check}::text[])
      as x(id, status, passes, counted, mixed, agent, "check")
    join cases c on c.org_id = ${orgId} and c.project_id = ${projectId} and c.case_id = x.id
    where x.status <> 'skipped'
    order by c.key
    on conflict (project_id, case_key, day, agent_hash, check_hash) do update set runs = d.runs + 1,
      passed = d.passed + excluded.passed, failed = d.failed + excluded.failed, errored = d.errored + excluded.errored,
      mixed = d.mixed + excluded.mixed, passes = d.passes + excluded.passes, counted = d.counted + excluded.counted`.execute(
    work,
  );
}

import type { CaseDocument } from "@kindlm/core/upload";
import { sql, type Transaction } from "kysely";
import type { Tables } from "../database/tables.js";
import { compressDocument } from "./compress-document.js";

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

/**
 * Writes cases with their trials, transcripts and daily sums. Rows are written in the order of the ids of the cases, so
 * two uploads wait for each other instead of a deadlock.
 */
export async function storeCases(
  transaction: Transaction<Tables>,
  owner: CaseOwner,
  cases: readonly CaseDocument[],
): Promise<void> {
  if (cases.length === 0) return;
  await nameCases(transaction, owner, cases);
  await insertResults(transaction, owner, cases);
  await insertDocuments(transaction, owner, "trials", cases.map(trialsOf));
  const spoken = cases.filter(({ messages, transcripts }) => messages !== undefined || transcripts !== undefined);
  await insertDocuments(transaction, owner, "transcripts", spoken.map(transcriptOf));
  if (owner.isCounted) await addToDays(transaction, owner, cases);
}

async function nameCases(transaction: Transaction<Tables>, owner: CaseOwner, cases: readonly CaseDocument[]) {
  const rows = cases.map(({ id, suite, name, model }) => ({ id, suite, name, model }));
  await sql`
    insert into cases (org_id, project_id, case_id, suite, name, model)
    select ${owner.orgId}::text, ${owner.projectId}::text, x.id, x.suite, x.name, x.model
    from json_to_recordset(${JSON.stringify(rows)}::json) as x(id text, suite text, name text, model text)
    order by x.id on conflict (project_id, case_id) do nothing`.execute(transaction);
}

function resultOf(one: CaseDocument) {
  if (one.status === "skipped") return { id: one.id, status: one.status, passes: 0, counted: 0, mixed: false };
  const { id, status, passes, counted, mixed, latencyMs, costUsd, error, agentHash, checkHash } = one;
  const figures = { passes, counted, mixed, latency: latencyMs, cost: costUsd };
  return { id, status, ...figures, code: error?.code ?? null, agent: agentHash, check: checkHash };
}

async function insertResults(transaction: Transaction<Tables>, owner: CaseOwner, cases: readonly CaseDocument[]) {
  await sql`
    insert into case_results (day, run_id, case_key, org_id, project_id, started_ms, status, passes, counted, mixed,
      latency_ms, cost_usd, error_code, agent_hash, check_hash)
    select ${owner.day}::int, ${owner.runId}::bigint, c.key, ${owner.orgId}::text, ${owner.projectId}::text,
      ${owner.startedMs}::bigint, x.status, x.passes, x.counted, x.mixed, x.latency, x.cost, x.code, x.agent, x."check"
    from json_to_recordset(${JSON.stringify(cases.map(resultOf))}::json) as x(id text, status text, passes int,
      counted int, mixed boolean, latency double precision, cost double precision, code text, agent text, "check" text)
    join cases c on c.org_id = ${owner.orgId} and c.project_id = ${owner.projectId} and c.case_id = x.id
    order by x.id`.execute(transaction);
}

interface NamedDocument {
  id: string;
  document: string;
}

function trialsOf(one: CaseDocument): NamedDocument {
  const { messages: _messages, transcripts: _transcripts, ...measured } = one;
  return { id: one.id, document: compressDocument(measured).toString("base64") };
}

function transcriptOf({ id, messages, transcripts }: CaseDocument): NamedDocument {
  return { id, document: compressDocument({ messages, transcripts }).toString("base64") };
}

async function insertDocuments(
  transaction: Transaction<Tables>,
  owner: CaseOwner,
  table: "trials" | "transcripts",
  documents: readonly NamedDocument[],
): Promise<void> {
  if (documents.length === 0) return;
  await sql`
    insert into ${sql.table(table)} (day, run_id, case_key, org_id, document)
    select ${owner.day}::int, ${owner.runId}::bigint, c.key, ${owner.orgId}::text, decode(x.document, 'base64')
    from json_to_recordset(${JSON.stringify(documents)}::json) as x(id text, document text)
    join cases c on c.org_id = ${owner.orgId} and c.project_id = ${owner.projectId} and c.case_id = x.id
    order by x.id`.execute(transaction);
}

async function addToDays(transaction: Transaction<Tables>, owner: CaseOwner, cases: readonly CaseDocument[]) {
  await sql`
    insert into case_days as d (org_id, project_id, case_key, day, agent_hash, check_hash, runs, passed, failed, errored,
      mixed, passes, counted)
    select ${owner.orgId}::text, ${owner.projectId}::text, c.key, ${owner.day}::int, coalesce(x.agent, ''),
      coalesce(x."check", ''), 1, (x.status = 'passed')::int, (x.status = 'failed')::int, (x.status = 'errored')::int,
      x.mixed::int, x.passes, x.counted
    from json_to_recordset(${JSON.stringify(cases.map(resultOf))}::json) as x(id text, status text, passes int,
      counted int, mixed boolean, agent text, "check" text)
    join cases c on c.org_id = ${owner.orgId} and c.project_id = ${owner.projectId} and c.case_id = x.id
    where x.status <> 'skipped'
    order by x.id
    on conflict (project_id, case_key, day, agent_hash, check_hash) do update set runs = d.runs + 1,
      passed = d.passed + excluded.passed, failed = d.failed + excluded.failed, errored = d.errored + excluded.errored,
      mixed = d.mixed + excluded.mixed, passes = d.passes + excluded.passes, counted = d.counted + excluded.counted`.execute(
    transaction,
  );
}

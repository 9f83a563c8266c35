import {
  caseDocumentSchema,
  mergeUploads,
  type CaseDocument,
  type RunDocument,
  type UploadDocument,
} from "@kindlm/core/upload";
import type { Transaction } from "kysely";
import { dayOf, makePartitions } from "../database/partitions.js";
import type { ProjectRow, RunRow, Tables } from "../database/tables.js";
import { inflateDocument } from "./compress-document.js";
import { storeCases, type CaseOwner } from "./store-cases.js";

export type Stored = "created" | "known" | "conflict";
type Work = Transaction<Tables>;

export interface RunUpload {
  project: Pick<ProjectRow, "id" | "org_id">;
  run: RunDocument;
  /** SHA-256 of the content, inflated. */
  digest: string;
  nowMs: number;
}

/** Inserts the row of a run; null if the project has a run of this id. Of several at once, one inserts it. */
export async function insertRun(
  work: Work,
  { project, run, digest, nowMs }: RunUpload,
  state: RunRow["state"],
): Promise<CaseOwner | null> {
  const { summary, shard } = run;
  const startedMs = timeOf(run.startedAt, nowMs);
  const day = dayOf(nowMs);
  const inserted = await work
    .insertInto("runs")
    .values({
      org_id: project.org_id,
      project_id: project.id,
      run: run.run,
      digest,
      state,
      day,
      started_ms: startedMs,
      uploaded_ms: nowMs,
      branch: run.branch,
      commit: run.commit,
      verdict: run.verdict,
      config_hash: run.configHash,
      seed: Math.trunc(run.seed),
      ci_attempt: run.ciAttempt,
      shard_index: shard?.index ?? null,
      shard_of: shard?.of ?? null,
      superseded_by: null,
      note: null,
      cases: run.cases,
      passed: summary.passed,
      failed: summary.failed,
      errored: summary.errored,
      skipped: summary.skipped,
      pass_rate: summary.passRate,
      cost_usd: summary.costUsd,
      p50_ms: summary.latencyMs?.p50 ?? null,
      p95_ms: summary.latencyMs?.p95 ?? null,
      document: JSON.stringify(run),
    })
    .onConflict((conflict) => conflict.columns(["project_id", "run"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (inserted === undefined) return null;
  const owner = { orgId: project.org_id, projectId: project.id, runId: inserted.id, day, startedMs };
  return { ...owner, isCounted: shard === undefined };
}

/** A time that cannot be read is that of the upload. */
function timeOf(moment: string, nowMs: number): number {
  const parsed = Date.parse(moment);
  return Number.isNaN(parsed) ? nowMs : parsed;
}

/** Stores a run of one request. */
export async function storeWhole(work: Work, upload: RunUpload, cases: readonly CaseDocument[]): Promise<Stored> {
  const owner = await insertRun(work, upload, "complete");
  if (owner === null) return knownOrConflict(work, upload);
  await makePartitions(work, owner.day);
  await storeCases(work, owner, cases);
  await finishRun(work, upload, owner);
  return "created";
}

export async function knownOrConflict(work: Work, { project, run, digest }: RunUpload): Promise<Stored> {
  const found = await work
    .selectFrom("runs")
    .select("digest")
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("run", "=", run.run)
    .executeTakeFirst();
  return found?.digest === digest ? "known" : "conflict";
}

/** Writes the figures of the suites, replaces the runs that this one was made of, and merges shards if all are there. */
export async function finishRun(work: Work, upload: RunUpload, owner: CaseOwner): Promise<void> {
  const { run } = upload;
  const suites = run.suites.map(({ name, figures }) => ({
    run_id: owner.runId,
    org_id: owner.orgId,
    project_id: owner.projectId,
    suite: name,
    started_ms: owner.startedMs,
    branch: run.branch,
    passed: figures.passed,
    total: figures.total,
    counted: figures.passed + figures.failed,
    pass_rate: figures.passRate,
    cost_usd: figures.costUsd,
    p50_ms: figures.latencyMs?.p50 ?? null,
  }));
  const distinct = [...new Map(suites.map((suite) => [suite.suite, suite])).values()];
  if (owner.isCounted && distinct.length > 0) await work.insertInto("suite_results").values(distinct).execute();
  if (run.mergedFrom !== undefined && run.mergedFrom.length > 0) await supersede(work, owner, run.mergedFrom);
  if (run.shard !== undefined) await mergeShards(work, upload, owner);
}

async function supersede(work: Work, { orgId, projectId, runId }: CaseOwner, runs: readonly string[]): Promise<void> {
  await work
    .updateTable("runs")
    .set({ superseded_by: runId })
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("run", "in", runs)
    .where("id", "!=", runId)
    .execute();
}

/** Shards of one build, the newest of each number. */
async function mergeShards(work: Work, upload: RunUpload, owner: CaseOwner): Promise<void> {
  const { run } = upload;
  // The shards of a build come at once, and one of them must see all others.
  await work.selectFrom("projects").select("id").where("id", "=", owner.projectId).forUpdate().execute();
  const rows = await work
    .selectFrom("runs")
    .select(["id", "run", "day", "shard_index", "document"])
    .where("org_id", "=", owner.orgId)
    .where("project_id", "=", owner.projectId)
    .where("state", "=", "complete")
    .where("config_hash", "=", run.configHash)
    .where("seed", "=", Math.trunc(run.seed))
    .where((where) => where("commit", "is not distinct from", run.commit))
    .where((where) => where("ci_attempt", "is not distinct from", run.ciAttempt))
    .where("shard_of", "is not", null)
    .orderBy("id")
    .execute();
  const newest = new Map(rows.map((row) => [row.shard_index, row]));
  const replaced = rows.filter((row) => newest.get(row.shard_index) !== row).map((row) => row.run);
  if (replaced.length > 0) await supersede(work, owner, replaced);
  if (newest.size < (run.shard?.of ?? 1)) return;
  const documents: UploadDocument[] = [];
  for (const row of newest.values()) {
    // One shard after the other: each may be large.
    documents.push({ run: row.document, cases: await loadCases(work, owner.orgId, row) });
  }
  await storeMerged(work, upload, owner, documents);
}

async function storeMerged(work: Work, upload: RunUpload, owner: CaseOwner, documents: readonly UploadDocument[]) {
  const id = `merged-${upload.run.configHash}-${owner.runId}`;
  const merged = await mergeUploads(id, documents);
  const runs = documents.map(({ run }) => run.run);
  if (!merged.success) {
    await noteRuns(work, owner, runs, merged.error.message);
    return;
  }
  const { run, cases } = merged.data;
  const mergedUpload = { ...upload, run, digest: id };
  const made = await insertRun(work, mergedUpload, "complete");
  if (made === null) return;
  const earlier = await work
    .selectFrom("runs")
    .select("run")
    .where("org_id", "=", owner.orgId)
    .where("project_id", "=", owner.projectId)
    .where("run", "like", `merged-${upload.run.configHash}-%`)
    .where("ci_attempt", "is not distinct from", upload.run.ciAttempt)
    .where("commit", "is not distinct from", upload.run.commit)
    .where("id", "!=", made.runId)
    .execute();
  await storeCases(work, made, cases);
  await finishRun(work, mergedUpload, made);
  if (earlier.length > 0)
    await supersede(
      work,
      made,
      earlier.map((one) => one.run),
    );
}

async function noteRuns(work: Work, { orgId, projectId }: CaseOwner, runs: readonly string[], note: string) {
  await work
    .updateTable("runs")
    .set({ note })
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("run", "in", runs)
    .execute();
}

/** The cases of a run in the order of the upload, as they were uploaded, but without transcripts. */
export async function loadCases(
  work: Work,
  orgId: string,
  { id, day }: { id: number; day: number },
): Promise<CaseDocument[]> {
  const rows = await work
    .selectFrom("trials")
    .select("document")
    .where("org_id", "=", orgId)
    .where("run_id", "=", id)
    .where("day", "=", day)
    .orderBy("case_key")
    .execute();
  return rows.map(({ document }) => caseDocumentSchema.parse(inflateDocument(document)));
}

import type { RunDocument } from "@kindlm/core/upload";
import type { Transaction } from "kysely";
import { notFound } from "../api/api-error.js";
import { dayOf } from "../database/partitions.js";
import type { ProjectRow, RunRow, Tables } from "../database/tables.js";
import { removeRun } from "./replace-runs.js";
import type { CaseOwner } from "./store-cases.js";

type Work = Transaction<Tables>;

export interface RunUpload {
  project: Pick<ProjectRow, "id" | "org_id" | "name">;
  run: RunDocument;
  /** SHA-256 of the content, inflated. */
  digest: string;
  nowMs: number;
  /** The address of the server, as people open it. */
  origin: string;
}

/** `replaced`: the run went on after it was uploaded, and what was there of it is gone. */
export type Inserted = { stored: "created" | "replaced"; owner: CaseOwner } | { stored: "known" | "conflict" };
export type Stored = Inserted["stored"];

/**
 * Inserts the row of a run. Of several uploads of a run at once, one inserts it. The first content of a run stays, unless
 * the run was resumed since, or the upload of that content was never completed.
 */
export async function insertRun(work: Work, upload: RunUpload, state: RunRow["state"]): Promise<Inserted> {
  await keepProject(work, upload.project);
  const created = await insertRow(work, upload, state);
  if (created !== null) return { stored: "created", owner: created };
  const { project, run, digest } = upload;
  const found = await work
    .selectFrom("runs")
    .select(["id", "day", "shard_of", "superseded_by", "state", "digest", "document"])
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("run", "=", run.run)
    .forUpdate()
    .executeTakeFirst();
  // Of two uploads that replace a run, one waits here, and finds the row of the other one only if it looks again.
  if (found === undefined) return insertRun(work, upload, state);
  if (found.digest === digest) return { stored: "known" };
  const isUnfinished = found.state === "uploading";
  if (!isUnfinished && !wentOn(found.document, run)) return { stored: "conflict" };
  await removeRun(work, { orgId: project.org_id, projectId: project.id }, found);
  const owner = await insertRow(work, upload, state);
  return owner === null ? { stored: "conflict" } : { stored: isUnfinished ? "created" : "replaced", owner };
}

/** Whether the second is the same run at a later end: an interrupted run that was resumed, for example. */
function wentOn(before: RunDocument, after: RunDocument): boolean {
  return before.startedAt === after.startedAt && (after.resumed ?? 0) > (before.resumed ?? 0);
}

async function insertRow(
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

/** Cursors of pages have room for times before the year 2286. */
const latestMs = 10_000_000_000_000;

/** A time that cannot be read, or that no clock shows, is that of the upload. */
function timeOf(moment: string, nowMs: number): number {
  const parsed = Date.parse(moment);
  return parsed >= 0 && parsed < latestMs ? parsed : nowMs;
}

/** Nobody can delete the project until the run is stored. Throws a 404 if somebody just did. */
async function keepProject(work: Work, { id, org_id }: RunUpload["project"]): Promise<void> {
  const projects = work.selectFrom("projects").select("id").where("org_id", "=", org_id).where("id", "=", id);
  if ((await projects.forKeyShare().executeTakeFirst()) === undefined) throw notFound("Project");
}

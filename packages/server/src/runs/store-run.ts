import { mergeUploads, type UploadDocument } from "@kindlm/core/upload";
import { sql, type Transaction } from "kysely";
import { makePartitions } from "../database/partitions.js";
import type { Tables } from "../database/tables.js";
import { queueDeliveries } from "../webhooks/run-events.js";
import { countLater } from "./day-sums.js";
import { insertRun, type RunUpload, type Stored } from "./insert-run.js";
import { packCases, type PackedCases } from "./pack-cases.js";
import { readCases } from "./read-cases.js";
import { hideRuns, supersede } from "./replace-runs.js";
import { storeCases, type CaseOwner } from "./store-cases.js";

type Work = Transaction<Tables>;

const dayMs = 86_400_000;

/** Stores a run of one request. */
export async function storeWhole(work: Work, upload: RunUpload, cases: PackedCases): Promise<Stored> {
  const inserted = await insertRun(work, upload, "complete");
  if (!("owner" in inserted)) return inserted.stored;
  const { stored, owner } = inserted;
  await makePartitions(work, owner.day);
  await storeCases(work, owner, cases);
  await finishRun(work, upload, owner);
  return stored;
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
  if (owner.isCounted) await countLater(work, owner);
  if (owner.isCounted && distinct.length > 0) await work.insertInto("suite_results").values(distinct).execute();
  if (run.mergedFrom !== undefined && run.mergedFrom.length > 0) await supersede(work, owner, run.mergedFrom);
  if (run.shard === undefined) await queueDeliveries(work, upload, owner);
  else await mergeShards(work, upload, owner);
}

/** Shards of one build, the newest of each number. */
async function mergeShards(work: Work, upload: RunUpload, owner: CaseOwner): Promise<void> {
  const { run } = upload;
  // The shards of a build come at once, and one of them must see all others.
  await work.selectFrom("projects").select("id").where("id", "=", owner.projectId).forNoKeyUpdate().execute();
  const merged = await findMergeOf(work, upload, owner);
  if (merged !== undefined) return supersede(work, { ...owner, runId: merged.id }, [run.run]);
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
    // Without an attempt, a shard that comes after the last one begins another build of the same commit.
    .$if(run.ciAttempt === null, (query) => query.where("superseded_by", "is", null))
    .orderBy("id")
    .execute();
  const newest = new Map(rows.map((row) => [row.shard_index, row]));
  const replaced = rows.filter((row) => newest.get(row.shard_index) !== row).map((row) => row.run);
  if (replaced.length > 0) await hideRuns(work, owner, replaced);
  if (newest.size < (run.shard?.of ?? 1)) return;
  const documents: UploadDocument[] = [];
  for (const row of newest.values()) {
    // One shard after the other: each may be large.
    documents.push({ run: row.document, cases: await readCases(work, { orgId: owner.orgId, ...row }) });
  }
  await storeMerged(work, upload, owner, { documents, replaced });
}

/** The run that `kindlm merge` made of this shard and others, if it was here first. */
function findMergeOf(work: Work, { run }: RunUpload, { orgId, projectId, startedMs }: CaseOwner) {
  return work
    .selectFrom("runs")
    .select("id")
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("state", "=", "complete")
    .where("superseded_by", "is", null)
    .where("started_ms", ">=", startedMs - dayMs)
    .where("started_ms", "<=", startedMs + dayMs)
    .where("run", "not like", "merged-%")
    .where(sql<boolean>`document @> ${JSON.stringify({ mergedFrom: [run.run] })}::jsonb`)
    .executeTakeFirst();
}

interface Shards {
  documents: readonly UploadDocument[];
  /** Shards that were run again. */
  replaced: readonly string[];
}

async function storeMerged(work: Work, upload: RunUpload, owner: CaseOwner, { documents, replaced }: Shards) {
  const id = `merged-${upload.run.configHash}-${owner.runId}`;
  const merged = await mergeUploads(id, documents);
  const runs = documents.map(({ run }) => run.run);
  if (!merged.success) {
    await noteRuns(work, owner, runs, merged.error.message);
    return;
  }
  const { run, cases } = merged.data;
  const mergedUpload = { ...upload, run, digest: id };
  const inserted = await insertRun(work, mergedUpload, "complete");
  if (!("owner" in inserted)) return;
  const { owner: made } = inserted;
  await storeCases(work, made, packCases(cases));
  await finishRun(work, mergedUpload, made);
  if (replaced.length > 0) await supersede(work, made, replaced);
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

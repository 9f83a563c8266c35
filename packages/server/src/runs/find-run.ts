import { notFound } from "../api/api-error.js";
import type { Database, ProjectRow } from "../database/tables.js";

/** What lists show of a run. */
export const runColumns = [
  "run",
  "started_ms",
  "uploaded_ms",
  "branch",
  "commit",
  "verdict",
  "passed",
  "failed",
  "errored",
  "skipped",
  "pass_rate",
  "cost_usd",
  "p50_ms",
  "p95_ms",
  "shard_index",
  "shard_of",
  "note",
] as const;

/** A run of the project whose upload is complete. Throws a 404 if there is none. */
export async function findComplete(database: Database, project: Pick<ProjectRow, "id" | "org_id">, run: string) {
  const found = await database
    .selectFrom("runs")
    .select(["id", "day", "document", "superseded_by", ...runColumns])
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("run", "=", run)
    .where("state", "=", "complete")
    .executeTakeFirst();
  if (found === undefined) throw notFound("Run");
  return found;
}

/** The ID of the newest run of a branch. Throws a 404 if there is none. */
export async function findNewest(
  database: Database,
  project: Pick<ProjectRow, "id" | "org_id">,
  branch: string,
): Promise<string> {
  const found = await database
    .selectFrom("runs")
    .select("run")
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("branch", "=", branch)
    .where("state", "=", "complete")
    .where("superseded_by", "is", null)
    .orderBy("started_ms", "desc")
    .orderBy("id", "desc")
    .executeTakeFirst();
  if (found === undefined) throw notFound(`Run of branch ${branch}`);
  return found.run;
}

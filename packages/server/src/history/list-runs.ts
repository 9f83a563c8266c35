import { pageSize, parseCursor, renderCursor } from "./cursor.js";
import { runColumns } from "../runs/find-run.js";
import type { HistoryOf } from "./read-history.js";

export interface RunsAsked {
  /** All if it is missing. */
  branch?: string | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
  most?: number;
}

/** Complete runs of a project, the newest first, and where the next page begins. */
export async function listRuns(
  { database, orgId, projectId }: HistoryOf,
  { branch, after, most = pageSize }: RunsAsked,
) {
  let query = database
    .selectFrom("runs")
    .select([...runColumns, "id"])
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("state", "=", "complete")
    .where("superseded_by", "is", null);
  if (branch !== undefined) query = query.where("branch", "=", branch);
  if (after !== undefined) {
    const [startedMs, id] = parseCursor(after);
    query = query.where((where) =>
      where.or([
        where("started_ms", "<", startedMs),
        where.and([where("started_ms", "=", startedMs), where("id", "<", id)]),
      ]),
    );
  }
  const rows = await query
    .orderBy("started_ms", "desc")
    .orderBy("id", "desc")
    .limit(most + 1)
    .execute();
  const items = rows.slice(0, most);
  const last = items.at(-1);
  const next = rows.length > most && last !== undefined ? renderCursor(last.started_ms, last.id) : null;
  return { items: items.map(({ id: _id, ...item }) => item), next };
}

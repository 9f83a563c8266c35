import type { Transaction } from "kysely";
import type { ApiWorld } from "../api/route.js";
import { noteAction } from "../auth/audit.js";
import type { Caller } from "../auth/tokens.js";
import { partitioned } from "../database/partitions.js";
import { inTransaction } from "../database/retry-conflicts.js";
import type { ProjectRow, Tables } from "../database/tables.js";

/** Tables with rows of a project, those first that others refer to last. Rows that belong to a row of these go with it. */
const ofProject = ["runs", "case_days", "cases", "baselines", "webhooks", "trusts"] as const;

/**
 * Removes a project with its runs, cases, baselines, webhooks and trusted repositories. The audit log stays. Cases are
 * removed a day at a time, so that a large project does not stop uploads of others meanwhile; the project itself goes with
 * the last of them.
 */
export async function removeProject(world: ApiWorld, caller: Caller, project: ProjectRow): Promise<void> {
  const { database } = world;
  const days = await database
    .selectFrom("runs")
    .select("day")
    .distinct()
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .orderBy("day")
    .execute();
  for (const { day } of days) await inTransaction(database, (work) => removeCases(work, project, day));
  await inTransaction(database, async (work) => {
    // An upload holds this row until its run is stored; one that comes later finds no project.
    await work.selectFrom("projects").select("id").where("id", "=", project.id).forUpdate().execute();
    await removeCases(work, project, null);
    for (const table of ofProject) {
      await work.deleteFrom(table).where("org_id", "=", project.org_id).where("project_id", "=", project.id).execute();
    }
    await work.deleteFrom("projects").where("org_id", "=", project.org_id).where("id", "=", project.id).execute();
    await noteAction({ ...world, database: work }, caller, "project.delete", project.name);
  });
}

async function removeCases(work: Transaction<Tables>, { id, org_id }: ProjectRow, day: number | null): Promise<void> {
  const runs = work.selectFrom("runs").select("id").where("org_id", "=", org_id).where("project_id", "=", id);
  for (const table of partitioned) {
    await work
      .deleteFrom(table)
      .where("org_id", "=", org_id)
      .where("run_id", "in", runs)
      .$if(day !== null, (query) => query.where("day", "=", day ?? 0))
      .execute();
  }
}

import type { Caller } from "../auth/tokens.js";
import type { ProjectRow } from "../database/tables.js";
import { notFound } from "./api-error.js";
import type { ApiWorld } from "./route.js";

/** A project of another organization, or one that the token does not cover, is not there. */
export async function findProject({ database }: ApiWorld, caller: Caller | null, name: string): Promise<ProjectRow> {
  if (caller === null) throw notFound("Project");
  const found = await database
    .selectFrom("projects")
    .selectAll()
    .where("org_id", "=", caller.orgId)
    .where("name", "=", name)
    .executeTakeFirst();
  if (found === undefined || caller.projects?.has(found.id) === false) throw notFound("Project");
  return found;
}

import * as z from "zod";
import { conflict, forbidden } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";
import { noteAction } from "../auth/audit.js";
import { createId } from "../auth/secrets.js";
import type { Caller } from "../auth/tokens.js";
import { codeOf } from "../database/retry-conflicts.js";
import { pageSize } from "../history/cursor.js";
import type { ProjectRow } from "../database/tables.js";

/** Of PostgreSQL. */
const uniqueViolation = "23505";

export const projectName = z
  .string()
  .regex(/^\w[\w.-]{0,99}$/, "A name has letters, digits, and any of _ . - and begins with a letter or digit");
export const retention = z
  .int("Days are whole numbers")
  .min(1, "Keep at least 1 day")
  .max(4_000, "Keep at most 4000 days");

const accepted = z.array(z.enum(["messages", "transcripts"])).describe("What uploads may include beyond measurements");

/** What a project accepts, and how long it keeps what. */
export const projectSettings = {
  accepts: accepted.default([]),
  transcript_days: retention.default(14),
  case_days: retention.default(30),
  run_days: retention.default(400),
};

export const newProjectBody = z.object({ name: projectName, ...projectSettings });
export type NewProject = z.infer<typeof newProjectBody>;
/** What is absent stays as it is. */
export const changedProjectBody = z
  .object({
    name: projectName,
    accepts: accepted,
    transcript_days: retention,
    case_days: retention,
    run_days: retention,
  })
  .partial();

/** Throws an ApiError if the organization has a project of this name. */
export async function createProject(world: ApiWorld, caller: Caller, body: NewProject): Promise<void> {
  // A token for some projects cannot make one that it does not cover.
  if (caller.projects !== null) throw forbidden("project:admin");
  const { accepts, ...row } = body;
  const inserted = await world.database
    .insertInto("projects")
    .values({
      ...row,
      id: createId("prj"),
      org_id: caller.orgId,
      accepts: accepts.join(" "),
      badge_key: null,
      created_ms: world.now(),
    })
    .onConflict((found) => found.columns(["org_id", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (inserted === undefined) throw conflict(`Project "${body.name}" exists`);
  await noteAction(world, caller, "project.create", body.name);
}

/** The project with its changes. Throws an ApiError if the organization has another project of the new name. */
export async function changeProject(
  world: ApiWorld,
  caller: Caller,
  project: ProjectRow,
  { accepts, ...changes }: z.infer<typeof changedProjectBody>,
): Promise<ProjectRow> {
  const { name = project.name, transcript_days = project.transcript_days } = changes;
  const { case_days = project.case_days, run_days = project.run_days } = changes;
  const row = { name, transcript_days, case_days, run_days, accepts: accepts?.join(" ") ?? project.accepts };
  try {
    await world.database
      .updateTable("projects")
      .set(row)
      .where("org_id", "=", caller.orgId)
      .where("id", "=", project.id)
      .execute();
  } catch (error) {
    throw codeOf(error) === uniqueViolation ? conflict(`Project "${name}" exists`) : error;
  }
  await noteAction(world, caller, "project.change", project.name);
  return { ...project, ...row };
}

/** Projects that the caller may see, by name, after the one of a name. */
export async function pageOfProjects({ database }: ApiWorld, { orgId, projects }: Caller, after: string) {
  const rows = await database
    .selectFrom("projects")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("name", ">", after)
    .$if(projects !== null, (query) => query.where("id", "in", [...(projects ?? [])]))
    .orderBy("name")
    .limit(pageSize + 1)
    .execute();
  const shown = rows.slice(0, pageSize);
  return { rows: shown, next: rows.length > pageSize ? (shown.at(-1)?.name ?? null) : null };
}

/** Makes a key for the badge, which replaces the one before, or removes it. */
export async function changeBadge(
  world: ApiWorld,
  caller: Caller,
  project: ProjectRow,
  action: "make" | "remove",
): Promise<void> {
  await world.database
    .updateTable("projects")
    .set({ badge_key: action === "make" ? createId("bdg") : null })
    .where("org_id", "=", caller.orgId)
    .where("id", "=", project.id)
    .execute();
  await noteAction(world, caller, `badge.${action}`, project.name);
}

/** The projects of the organization that the caller may see, with the newest run of each. */
export async function listProjects({ database }: ApiWorld, { orgId, projects }: Caller) {
  const rows = await database
    .selectFrom("projects as p")
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("runs as r")
          .select([
            "r.run",
            "r.verdict",
            "r.started_ms",
            "r.branch",
            "r.passed",
            "r.failed",
            "r.errored",
            "r.pass_rate",
          ])
          .where("r.org_id", "=", orgId)
          .whereRef("r.project_id", "=", "p.id")
          .where("r.state", "=", "complete")
          .where("r.superseded_by", "is", null)
          .orderBy("r.started_ms", "desc")
          .orderBy("r.id", "desc")
          .limit(1)
          .as("newest"),
      (join) => join.onTrue(),
    )
    .select(["p.id", "p.name", "run", "verdict", "started_ms", "branch", "passed", "failed", "errored", "pass_rate"])
    .where("p.org_id", "=", orgId)
    .orderBy("p.name")
    .execute();
  return rows.filter(({ id }) => projects?.has(id) !== false);
}

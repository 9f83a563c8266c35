import { sql } from "kysely";
import * as z from "zod";
import { forbidden, notFound } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";
import { noteAction } from "../auth/audit.js";
import { createToken, dayMs, scopes, tokenDays, type Caller } from "../auth/tokens.js";
import { pageSize } from "../history/cursor.js";
import { projectName } from "./projects.js";

export const newTokenBody = z.object({
  name: z.string().min(1, "Give the token a name").max(100),
  scopes: z.array(z.enum(scopes)).min(1, "Choose at least one scope"),
  projects: z.array(projectName).nullable().default(null).describe("Null for all projects"),
  days: z
    .int()
    .min(1, "A token is valid for at least 1 day")
    .max(tokenDays, `At most ${tokenDays} days`)
    .default(tokenDays),
});
export type NewAccessToken = z.infer<typeof newTokenBody>;

/** Creates a token that can do no more than its creator. Throws an ApiError. */
export async function createAccessToken(world: ApiWorld, caller: Caller, body: NewAccessToken) {
  for (const scope of body.scopes) if (!caller.scopes.has(scope)) throw forbidden(scope);
  const projects = body.projects === null ? null : await idsOf(world, caller, body.projects);
  const { name, scopes: own, days } = body;
  const made = await createToken(world.database, {
    orgId: caller.orgId,
    userId: null,
    name,
    scopes: own,
    projects: projects ?? (caller.projects === null ? null : [...caller.projects]),
    nowMs: world.now(),
    forMs: days * dayMs,
  });
  await noteAction(world, caller, "token.create", made.id);
  return made;
}

/** Of projects that the caller can see. Whether others exist is none of its business. */
async function idsOf({ database }: ApiWorld, { orgId, projects }: Caller, names: readonly string[]) {
  const rows = await database
    .selectFrom("projects")
    .select("id")
    .where("org_id", "=", orgId)
    .where("name", "in", names)
    .execute();
  const ids = rows.map(({ id }) => id).filter((id) => projects?.has(id) ?? true);
  if (ids.length !== new Set(names).size) throw notFound("Project");
  return ids;
}

/** Whether a token covers no other projects than the caller, who may see it then. The column is that of `tokens`. */
function isCovered(column: string, { projects }: Caller) {
  if (projects === null) return sql<boolean>`true`;
  return sql<boolean>`string_to_array(${sql.ref(column)}, ' ') <@ string_to_array(${[...projects].join(" ")}, ' ')`;
}

/** The tokens that the caller covers and nobody has revoked, the newest last. */
export async function listAccessTokens({ database }: ApiWorld, caller: Caller) {
  const rows = await database
    .selectFrom("tokens as t")
    .leftJoin("users as u", "u.id", "t.user_id")
    .select(["t.id", "t.name", "scopes", "projects", "t.created_ms", "expires_ms", "used_ms", "u.email"])
    .where("t.org_id", "=", caller.orgId)
    .where("revoked_ms", "is", null)
    .where(isCovered("t.projects", caller))
    .orderBy("t.created_ms")
    .orderBy("t.id")
    .limit(pageSize)
    .execute();
  return rows.map((row) => ({
    ...row,
    scopes: row.scopes.split(" "),
    projects: row.projects?.split(" ") ?? null,
  }));
}

/** Throws an ApiError if the caller may not revoke the token, or there is none. */
export async function revokeAccessToken(world: ApiWorld, caller: Caller, id: string): Promise<void> {
  if (id !== caller.tokenId && !caller.scopes.has("org:admin")) throw forbidden("org:admin");
  const revoked = await world.database
    .updateTable("tokens")
    .set({ revoked_ms: world.now() })
    .where("org_id", "=", caller.orgId)
    .where("id", "=", id)
    .where("revoked_ms", "is", null)
    .where(isCovered("projects", caller))
    .returning("id")
    .executeTakeFirst();
  if (revoked === undefined) throw notFound("Token");
  await noteAction(world, caller, "token.revoke", id);
}

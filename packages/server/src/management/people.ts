import type { Transaction } from "kysely";
import { ApiError, conflict, notFound } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";
import { noteAction } from "../auth/audit.js";
import { scopesOf, type Role } from "../auth/roles.js";
import type { Person } from "../auth/sign-in.js";
import type { Tables } from "../database/tables.js";
import { inTransaction } from "../database/retry-conflicts.js";

/** The members of the organization, by their email. */
export async function listPeople({ database }: ApiWorld, orgId: string) {
  return database
    .selectFrom("memberships as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(["u.id", "u.email", "m.role"])
    .where("m.org_id", "=", orgId)
    .orderBy("u.email")
    .execute();
}

/** An administrator has no power over owners, and makes none. */
export function requirePowerOver(person: Person, roles: readonly string[]): void {
  if (person.role !== "owner" && roles.includes("owner")) {
    throw new ApiError(403, "forbidden", "Only an owner may do this to an owner, or make one");
  }
}

/** The role of a member. All owners are locked, so that two of them cannot leave at the same time. */
async function lockMember(work: Transaction<Tables>, orgId: string, userId: string): Promise<string> {
  const rows = await work
    .selectFrom("memberships")
    .select(["user_id", "role"])
    .where("org_id", "=", orgId)
    .where((where) => where.or([where("user_id", "=", userId), where("role", "=", "owner")]))
    .orderBy("user_id")
    .forUpdate()
    .execute();
  const found = rows.find((row) => row.user_id === userId);
  if (found === undefined) throw notFound("Person");
  return found.role;
}

async function requireOtherOwner(work: Transaction<Tables>, orgId: string, userId: string): Promise<void> {
  const other = await work
    .selectFrom("memberships")
    .select("user_id")
    .where("org_id", "=", orgId)
    .where("role", "=", "owner")
    .where("user_id", "!=", userId)
    .executeTakeFirst();
  if (other === undefined) throw conflict("The organization needs an owner. Make someone else an owner first");
}

/** Gives a member another role. Tokens of the person that can do more are revoked. Throws an ApiError. */
export async function changeRole(world: ApiWorld, person: Person, userId: string, role: Role): Promise<void> {
  const { orgId } = person.caller;
  await inTransaction(world.database, async (work) => {
    const before = await lockMember(work, orgId, userId);
    requirePowerOver(person, [before, role]);
    if (before === "owner" && role !== "owner") await requireOtherOwner(work, orgId, userId);
    await work
      .updateTable("memberships")
      .set({ role })
      .where("org_id", "=", orgId)
      .where("user_id", "=", userId)
      .execute();
    const allowed = new Set<string>(scopesOf(role));
    await revokeTokens(world, work, { orgId, userId }, (scopes) => scopes.some((scope) => !allowed.has(scope)));
    await noteAction({ ...world, database: work }, person.caller, `person.${role}`, userId);
  });
}

/** Removes a member, and ends what the person is signed in to and the person's tokens. Throws an ApiError. */
export async function removePerson(world: ApiWorld, person: Person, userId: string): Promise<void> {
  const { orgId } = person.caller;
  await inTransaction(world.database, async (work) => {
    const before = await lockMember(work, orgId, userId);
    requirePowerOver(person, [before]);
    if (before === "owner") await requireOtherOwner(work, orgId, userId);
    await work.deleteFrom("sessions").where("org_id", "=", orgId).where("user_id", "=", userId).execute();
    await work.deleteFrom("memberships").where("org_id", "=", orgId).where("user_id", "=", userId).execute();
    await revokeTokens(world, work, { orgId, userId }, () => true);
    await noteAction({ ...world, database: work }, person.caller, "person.remove", userId);
  });
}

async function revokeTokens(
  { now }: ApiWorld,
  work: Transaction<Tables>,
  { orgId, userId }: { orgId: string; userId: string },
  isTooMuch: (scopes: readonly string[]) => boolean,
): Promise<void> {
  const rows = await work
    .selectFrom("tokens")
    .select(["id", "scopes"])
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .where("revoked_ms", "is", null)
    .orderBy("id")
    .execute();
  for (const { id, scopes } of rows) {
    if (!isTooMuch(scopes.split(" "))) continue;
    await work
      .updateTable("tokens")
      .set({ revoked_ms: now() })
      .where("org_id", "=", orgId)
      .where("id", "=", id)
      .execute();
  }
}

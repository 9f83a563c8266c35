import type { Transaction } from "kysely";
import { ApiError, notFound, unauthorized } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";
import { noteAction } from "../auth/audit.js";
import type { Role } from "../auth/roles.js";
import { createId, createSecret, hashPassword, isPassword, sha256 } from "../auth/secrets.js";
import type { Person } from "../auth/sign-in.js";
import { inTransaction } from "../database/retry-conflicts.js";
import type { Tables } from "../database/tables.js";
import { requirePowerOver } from "./people.js";

export const invitationDays = 7;
const dayMs = 86_400_000;

/**
 * Invites a person with a link that works once. For a member, it sets a new password and keeps the role. It replaces an
 * earlier invitation. Returns the link. Throws an ApiError.
 */
export async function invite(world: ApiWorld, person: Person, email: string, role: Role): Promise<string> {
  const { orgId } = person.caller;
  const { secret, hash } = createSecret("kli_");
  await inTransaction(world.database, async (work) => {
    const member = await findMembership(work, orgId, email);
    requirePowerOver(person, [member?.role ?? role]);
    const expires_ms = world.now() + invitationDays * dayMs;
    const row = { id: createId("inv"), org_id: orgId, hash, email, role: member?.role ?? role, expires_ms };
    await work
      .insertInto("invitations")
      .values(row)
      .onConflict((found) => found.columns(["org_id", "email"]).doUpdateSet(row))
      .execute();
    await noteAction({ ...world, database: work }, person.caller, "person.invite", row.id);
  });
  return `${world.origin()}/join#${secret}`;
}

const findMembership = (work: Transaction<Tables>, orgId: string, email: string) =>
  work
    .selectFrom("users as u")
    .innerJoin("memberships as m", "m.user_id", "u.id")
    .select(["u.id", "m.role"])
    .where("m.org_id", "=", orgId)
    .where("u.email", "=", email)
    .executeTakeFirst();

export async function listInvitations({ database, now }: ApiWorld, orgId: string) {
  return database
    .selectFrom("invitations")
    .select(["id", "email", "role", "expires_ms"])
    .where("org_id", "=", orgId)
    .where("expires_ms", ">", now())
    .orderBy("email")
    .execute();
}

export async function withdrawInvitation(world: ApiWorld, person: Person, id: string): Promise<void> {
  const { orgId } = person.caller;
  const gone = await world.database
    .deleteFrom("invitations")
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (gone === undefined) throw notFound("Invitation");
  await noteAction(world, person.caller, "person.withdraw", id);
}

interface Joined {
  orgId: string;
  userId: string;
}

/**
 * Accepts the invitation of a link: the person becomes a member, and chooses a password. Who is in another organization too
 * keeps the password, which must be right. Throws an ApiError.
 */
export async function join(
  world: ApiWorld,
  { secret, password }: { secret: string; password: string },
): Promise<Joined> {
  const hashed = await hashPassword(password);
  return inTransaction(world.database, async (work) => {
    const invitation = await work
      .deleteFrom("invitations")
      .where("hash", "=", sha256(secret.trim()))
      .where("expires_ms", ">", world.now())
      .returning(["org_id", "email", "role"])
      .executeTakeFirst();
    if (invitation === undefined) throw unauthorized("The invitation was used or withdrawn, or it expired");
    const { org_id: orgId } = invitation;
    const user = await work
      .selectFrom("users")
      .select(["id", "password"])
      .where("email", "=", invitation.email)
      .executeTakeFirst();
    const elsewhere = await work
      .selectFrom("memberships")
      .select("org_id")
      .where("user_id", "=", user?.id ?? "")
      .where("org_id", "!=", orgId)
      .executeTakeFirst();
    if (user !== undefined && elsewhere !== undefined) {
      if (!(await isPassword(password, user.password))) throw unauthorized("Wrong password");
    } else if (user !== undefined) {
      await work.updateTable("users").set({ password: hashed }).where("id", "=", user.id).execute();
      await work.deleteFrom("sessions").where("org_id", "=", orgId).where("user_id", "=", user.id).execute();
    }
    return addMember(world, work, { ...invitation, userId: user?.id, password: hashed });
  });
}

interface NewMember {
  org_id: string;
  email: string;
  role: string;
  /** Of a person who is known already. */
  userId: string | undefined;
  /** Hashed; empty for who signs in with another service only. */
  password: string;
}

async function addMember(
  world: ApiWorld,
  work: Transaction<Tables>,
  { org_id: orgId, email, role, userId: known, password }: NewMember,
): Promise<Joined> {
  const userId = known ?? createId("usr");
  if (known === undefined) {
    await work.insertInto("users").values({ id: userId, email, password, created_ms: world.now() }).execute();
  }
  await work
    .insertInto("memberships")
    .values({ org_id: orgId, user_id: userId, role })
    .onConflict((found) => found.columns(["org_id", "user_id"]).doNothing())
    .execute();
  await noteAction({ ...world, database: work }, { orgId, tokenId: userId }, "person.join", userId);
  return { orgId, userId };
}

/** Who proved to have this email may enter as a member, or with an open invitation. Throws an ApiError otherwise. */
export function enterByEmail(world: ApiWorld, email: string): Promise<Joined> {
  return inTransaction(world.database, async (work) => {
    const user = await work
      .selectFrom("users as u")
      .leftJoin("memberships as m", "m.user_id", "u.id")
      .select(["u.id", "m.org_id"])
      .where("u.email", "=", email)
      .orderBy("m.org_id")
      .executeTakeFirst();
    if (user !== undefined && user.org_id !== null) return { orgId: user.org_id, userId: user.id };
    const invitation = await work
      .deleteFrom("invitations")
      .where("email", "=", email)
      .where("expires_ms", ">", world.now())
      .returning(["org_id", "email", "role"])
      .executeTakeFirst();
    if (invitation === undefined) throw new ApiError(403, "forbidden", `${email} is not invited`);
    return addMember(world, work, { ...invitation, userId: user?.id, password: "" });
  });
}

import type { Transaction } from "kysely";
import * as z from "zod";
import { unauthorized } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";
import { noteAction } from "../auth/audit.js";
import { createId, createSecret, hashPassword, sha256 } from "../auth/secrets.js";
import { inTransaction } from "../database/retry-conflicts.js";
import type { Database, Tables } from "../database/tables.js";

export const newPassword = z.string().min(12, "A password has at least 12 characters").max(200);
export const emailAddress = z
  .email("This is not an email address")
  .max(200)
  .transform((text) => text.toLowerCase());
export const setUpBody = z.object({
  secret: z.string(),
  organization: z.string().trim().min(1, "Name the organization").max(100),
  email: emailAddress,
  password: newPassword,
});

/**
 * Creates the organization and its owner, once, with the secret of the setup link. `then` runs in the same transaction.
 * Throws an ApiError if the link was used or expired.
 */
export async function setUpServer<T>(
  world: ApiWorld,
  { secret, organization, email, password }: z.output<typeof setUpBody>,
  then: (work: Transaction<Tables>, owner: { orgId: string; userId: string }) => Promise<T>,
): Promise<T> {
  const hashed = await hashPassword(password);
  return inTransaction(world.database, async (work) => {
    const used = await work
      .updateTable("setup_links")
      .set({ used_ms: world.now() })
      .where("hash", "=", sha256(secret.trim()))
      .where("used_ms", "is", null)
      .where("expires_ms", ">", world.now())
      .returning("hash")
      .executeTakeFirst();
    if (used === undefined) throw unauthorized("The setup link was used, or it expired. Restart the server");
    const [orgId, userId, created_ms] = [createId("org"), createId("usr"), world.now()];
    await work.insertInto("orgs").values({ id: orgId, name: organization, plan: null, created_ms }).execute();
    await work.insertInto("users").values({ id: userId, email, password: hashed, created_ms }).execute();
    await work.insertInto("memberships").values({ org_id: orgId, user_id: userId, role: "owner" }).execute();
    await noteAction({ ...world, database: work }, { orgId, tokenId: userId }, "org.create", orgId);
    return then(work, { orgId, userId });
  });
}

const linkMs = 15 * 60_000;

/** A server without an organization shows a link that makes one. */
export async function offerSetup(
  database: Database,
  origin: string,
  nowMs: number,
  write: (text: string) => unknown,
): Promise<void> {
  const org = await database.selectFrom("orgs").select("id").limit(1).executeTakeFirst();
  if (org !== undefined) return;
  const { secret, hash } = createSecret("kls_");
  await database.deleteFrom("setup_links").execute();
  await database
    .insertInto("setup_links")
    .values({ hash, expires_ms: nowMs + linkMs, used_ms: null })
    .execute();
  write(`Set up the server within 15 minutes: ${origin}/setup#${secret}\n`);
}

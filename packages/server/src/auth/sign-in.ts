import { createHmac, timingSafeEqual } from "node:crypto";
import type { Transaction } from "kysely";
import type { Database, Tables } from "../database/tables.js";
import { scopesOf } from "./roles.js";
import { createSecret, sha256 } from "./secrets.js";
import type { Caller } from "./tokens.js";

const signInHours = 12;
export const signInSeconds = signInHours * 3_600;

/** Who is signed in. */
export interface Person {
  /** Hash of the cookie. */
  signInHash: string;
  userId: string;
  email: string;
  role: string;
  organization: string;
  /** What the role of the person allows. */
  caller: Caller;
}

/** Signs a person in, for 12 hours. Returns the secret of the cookie; its hash is stored. */
export async function signIn(
  work: Database | Transaction<Tables>,
  { orgId, userId, nowMs }: { orgId: string; userId: string; nowMs: number },
): Promise<string> {
  const { secret, hash } = createSecret("klp_");
  await work.deleteFrom("sessions").where("org_id", "=", orgId).where("expires_ms", "<=", nowMs).execute();
  const row = { hash, org_id: orgId, user_id: userId, expires_ms: nowMs + signInSeconds * 1_000 };
  await work.insertInto("sessions").values(row).execute();
  return secret;
}

/** Null if the secret is unknown or expired, and for a person who is no longer a member. */
export async function findPerson(database: Database, secret: string, nowMs: number): Promise<Person | null> {
  const row = await database
    .selectFrom("sessions as s")
    .innerJoin("memberships as m", (join) =>
      join.onRef("m.org_id", "=", "s.org_id").onRef("m.user_id", "=", "s.user_id"),
    )
    .innerJoin("users as u", "u.id", "s.user_id")
    .innerJoin("orgs as o", "o.id", "s.org_id")
    .select(["s.org_id", "s.user_id", "m.role", "u.email", "o.name"])
    .where("s.hash", "=", sha256(secret))
    .where("s.expires_ms", ">", nowMs)
    .executeTakeFirst();
  if (row === undefined) return null;
  const caller: Caller = {
    tokenId: row.user_id,
    orgId: row.org_id,
    scopes: new Set(scopesOf(row.role)),
    projects: null,
  };
  return {
    signInHash: sha256(secret),
    userId: row.user_id,
    email: row.email,
    role: row.role,
    organization: row.name,
    caller,
  };
}

export async function signOut(database: Database, { signInHash, caller }: Person): Promise<void> {
  await database.deleteFrom("sessions").where("org_id", "=", caller.orgId).where("hash", "=", signInHash).execute();
}

/** The token that the forms of a page send back. Only who can read the page knows it: it is made of the cookie. */
export function csrfTokenOf(secret: string): string {
  return createHmac("sha256", secret).update("form").digest("base64url");
}

export function isCsrfToken(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(csrfTokenOf(secret))];
  return one.length === other.length && timingSafeEqual(one, other);
}

import type { Database, Tables } from "../database/tables.js";
import type { Transaction } from "kysely";
import { unauthorized } from "../api/api-error.js";
import { hashPassword, isPassword } from "./secrets.js";

/** The member with this email and password. As slow for a person who does not exist. Throws an ApiError. */
export async function findMember(
  database: Database | Transaction<Tables>,
  { email, password }: { email: string; password: string },
): Promise<{ userId: string; orgId: string }> {
  const user = await database
    .selectFrom("users as u")
    .innerJoin("memberships as m", "m.user_id", "u.id")
    .select(["u.id", "u.password", "m.org_id"])
    .where("u.email", "=", email.toLowerCase())
    .orderBy("m.org_id")
    .executeTakeFirst();
  const stored = user?.password ?? (await hashPassword(""));
  if (!(await isPassword(password, stored)) || user === undefined) throw unauthorized("Wrong email or password");
  return { userId: user.id, orgId: user.org_id };
}

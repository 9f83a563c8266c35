import type { Transaction } from "kysely";
import type { Database, Tables } from "../database/tables.js";
import type { Caller } from "./tokens.js";

interface AuditWorld {
  database: Database | Transaction<Tables>;
  now(): number;
}

/** Adds a line to the audit log: who did what to which thing, without content. */
export async function noteAction(
  { database, now }: AuditWorld,
  { orgId, tokenId }: Pick<Caller, "orgId" | "tokenId">,
  action: string,
  subject: string,
): Promise<void> {
  await database
    .insertInto("audit_log")
    .values({ org_id: orgId, at_ms: now(), actor: tokenId, action, subject })
    .execute();
}

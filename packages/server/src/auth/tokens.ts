import type { Transaction } from "kysely";
import type { Database, Tables, TokenRow } from "../database/tables.js";
import { writeIfPossible } from "../database/write-if-possible.js";
import { createId, createSecret, sha256 } from "./secrets.js";

export const scopes = [
  "runs:write",
  "runs:read",
  "transcripts:read",
  "baselines:write",
  "project:admin",
  "org:admin",
] as const;
export type Scope = (typeof scopes)[number];

export const dayMs = 86_400_000;
export const tokenDays = 90;

/** Who calls. */
export interface Caller {
  tokenId: string;
  orgId: string;
  scopes: ReadonlySet<string>;
  /** Null for all projects of the organization. */
  projects: ReadonlySet<string> | null;
}

export interface NewToken {
  orgId: string;
  userId: string | null;
  name: string;
  scopes: readonly Scope[];
  /** IDs; null for all. */
  projects: readonly string[] | null;
  nowMs: number;
  /** How long it is valid. */
  forMs?: number;
  trustId?: string;
}

/** Stores a token by its hash, and returns the token, which nobody can read again. */
export async function createToken(
  work: Database | Transaction<Tables>,
  { orgId, userId, name, scopes: own, projects, nowMs, forMs = tokenDays * dayMs, trustId }: NewToken,
): Promise<{ id: string; token: string; expiresMs: number }> {
  const id = createId("tok");
  const { secret, hash } = createSecret();
  const expiresMs = nowMs + forMs;
  const row: TokenRow = {
    id,
    org_id: orgId,
    user_id: userId,
    name,
    hash,
    scopes: own.join(" "),
    projects: projects === null ? null : projects.join(" "),
    created_ms: nowMs,
    expires_ms: expiresMs,
    used_ms: null,
    revoked_ms: null,
    trust_id: trustId ?? null,
  };
  await work.insertInto("tokens").values(row).execute();
  return { id, token: secret, expiresMs };
}

/** The use of a token is written at most once in a minute. */
const noteUseMs = 60_000;

/** Null for a token that is unknown, expired or revoked. */
export async function findCaller(database: Database, token: string, nowMs: number): Promise<Caller | null> {
  const row = await database
    .selectFrom("tokens")
    .select(["id", "org_id", "scopes", "projects", "expires_ms", "revoked_ms", "used_ms"])
    .where("hash", "=", sha256(token))
    .executeTakeFirst();
  if (row === undefined || row.revoked_ms !== null || row.expires_ms <= nowMs) return null;
  if (nowMs - (row.used_ms ?? 0) > noteUseMs) {
    await writeIfPossible(() =>
      database.updateTable("tokens").set({ used_ms: nowMs }).where("id", "=", row.id).execute(),
    );
  }
  return {
    tokenId: row.id,
    orgId: row.org_id,
    scopes: new Set(row.scopes.split(" ")),
    projects: row.projects === null ? null : new Set(row.projects.split(" ")),
  };
}

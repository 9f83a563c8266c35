import { forbidden } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";
import type { Caller } from "../auth/tokens.js";
import { pageSize, parseCursor, renderCursor } from "../history/cursor.js";

/**
 * Actions in the organization, the newest first, from a cursor. `actor_name` is the email of a person or the name of a token.
 * Throws an ApiError for a token for some projects: the log names all projects, people and tokens.
 */
export async function readAuditLog({ database }: ApiWorld, { orgId, projects }: Caller, after: string | undefined) {
  if (projects !== null) throw forbidden("org:admin");
  let query = database
    .selectFrom("audit_log as a")
    .leftJoin("users as u", "u.id", "a.actor")
    .leftJoin("tokens as t", (join) => join.onRef("t.id", "=", "a.actor").on("t.org_id", "=", orgId))
    .select(["a.id", "a.at_ms", "a.actor", "a.action", "a.subject", "u.email", "t.name"])
    .where("a.org_id", "=", orgId);
  if (after !== undefined) query = query.where("a.id", "<", parseCursor(after)[1]);
  const rows = await query
    .orderBy("a.id", "desc")
    .limit(pageSize + 1)
    .execute();
  const items = rows.slice(0, pageSize);
  const last = items.at(-1);
  const next = rows.length > pageSize && last !== undefined ? renderCursor(last.at_ms, last.id) : null;
  return {
    items: items.map(({ id: _id, email, name, ...item }) => ({ ...item, actor_name: email ?? name })),
    next,
  };
}

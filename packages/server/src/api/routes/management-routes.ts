import * as z from "zod";
import { createId } from "../../auth/secrets.js";
import { createToken, dayMs, scopes, tokenDays } from "../../auth/tokens.js";
import { noteAction } from "../../auth/audit.js";
import { pageSize, parseCursor, renderCursor } from "../../history/cursor.js";
import { conflict, forbidden, notFound } from "../api-error.js";
import { defineRoute, noBody, noQuery } from "../route.js";
import { errorReply, pageOf, tokenReply } from "./reply-schemas.js";

export const me = defineRoute({
  method: "get",
  path: "/me",
  summary: "Show whose token this is and what it may do",
  scope: "any",
  limit: "read",
  body: noBody,
  query: noQuery,
  replies: {
    200: z.object({
      user: z.string().nullable().describe("Email address; null for the token of a program"),
      organization: z.string(),
      plan: z.string().nullable(),
      scopes: z.array(z.string()),
      projects: z.array(z.string()),
      expires_ms: z.number(),
    }),
  },
  async handle({ world, caller }) {
    const found = await world.database
      .selectFrom("tokens as t")
      .innerJoin("orgs as o", "o.id", "t.org_id")
      .leftJoin("users as u", "u.id", "t.user_id")
      .select(["o.name", "o.plan", "u.email", "t.expires_ms"])
      .where("t.org_id", "=", caller.orgId)
      .where("t.id", "=", caller.tokenId)
      .executeTakeFirst();
    if (found === undefined) throw notFound("Organization");
    const projects = await world.database
      .selectFrom("projects")
      .select(["id", "name"])
      .where("org_id", "=", caller.orgId)
      .orderBy("name")
      .execute();
    const own = projects.filter(({ id }) => caller.projects?.has(id) !== false).map(({ name }) => name);
    const { email: user, name: organization, plan, expires_ms } = found;
    return { status: 200, body: { user, organization, plan, scopes: [...caller.scopes], projects: own, expires_ms } };
  },
});

const projectName = z.string().regex(/^[\w][\w.-]{0,99}$/);
const include = z.array(z.enum(["messages", "transcripts"]));
const retention = z.int().min(1).max(4_000);

const projectBody = z.object({
  name: projectName,
  accepts: include.default([]).describe("What uploads may include beyond measurements"),
  transcript_days: retention.default(14),
  case_days: retention.default(30),
  run_days: retention.default(400),
});

export const createProject = defineRoute({
  method: "post",
  path: "/projects",
  summary: "Create a project",
  scope: "project:admin",
  limit: "write",
  body: projectBody,
  query: noQuery,
  replies: { 201: projectBody, 409: errorReply, 422: errorReply },
  async handle({ world, caller, body }) {
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
    return { status: 201, body };
  },
});

const tokenBody = z.object({
  name: z.string().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  projects: z.array(projectName).nullable().default(null).describe("Null for all projects"),
  days: z.int().min(1).max(tokenDays).default(tokenDays),
});

export const newToken = defineRoute({
  method: "post",
  path: "/tokens",
  summary: "Create a token. The answer is the only place that shows it",
  scope: "org:admin",
  limit: "write",
  body: tokenBody,
  query: noQuery,
  replies: { 201: z.object({ id: z.string(), token: z.string(), expires_ms: z.number() }), 422: errorReply },
  async handle({ world, caller, body }) {
    for (const scope of body.scopes) if (!caller.scopes.has(scope)) throw forbidden(scope);
    const projects = body.projects === null ? null : await idsOf(world, caller.orgId, body.projects);
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
    return { status: 201, body: { id: made.id, token: made.token, expires_ms: made.expiresMs } };
  },
});

async function idsOf({ database }: Parameters<typeof noteAction>[0], orgId: string, names: readonly string[]) {
  const rows = await database
    .selectFrom("projects")
    .select("id")
    .where("org_id", "=", orgId)
    .where("name", "in", names)
    .execute();
  if (rows.length !== new Set(names).size) throw notFound("Project");
  return rows.map(({ id }) => id);
}

export const listTokens = defineRoute({
  method: "get",
  path: "/tokens",
  summary: "List the tokens of the organization",
  scope: "org:admin",
  limit: "read",
  body: noBody,
  query: noQuery,
  replies: { 200: z.object({ items: z.array(tokenReply) }) },
  async handle({ world, caller }) {
    const rows = await world.database
      .selectFrom("tokens")
      .select(["id", "name", "scopes", "projects", "created_ms", "expires_ms", "used_ms"])
      .where("org_id", "=", caller.orgId)
      .where("revoked_ms", "is", null)
      .orderBy("created_ms")
      .limit(pageSize)
      .execute();
    const items = rows.map((row) => ({
      ...row,
      scopes: row.scopes.split(" "),
      projects: row.projects?.split(" ") ?? null,
    }));
    return { status: 200, body: { items } };
  },
});

export const revokeToken = defineRoute({
  method: "delete",
  path: "/tokens/{token}",
  summary: "Revoke a token by its ID, or the token of the request as `self`",
  scope: "any",
  limit: "write",
  body: noBody,
  query: noQuery,
  replies: { 200: z.object({ id: z.string() }), 404: errorReply },
  async handle({ world, caller, params }) {
    const id = params["token"] === "self" ? caller.tokenId : (params["token"] ?? "");
    if (id !== caller.tokenId && !caller.scopes.has("org:admin")) throw forbidden("org:admin");
    const revoked = await world.database
      .updateTable("tokens")
      .set({ revoked_ms: world.now() })
      .where("org_id", "=", caller.orgId)
      .where("id", "=", id)
      .where("revoked_ms", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (revoked === undefined) throw notFound("Token");
    await noteAction(world, caller, "token.revoke", id);
    return { status: 200, body: { id } };
  },
});

export const audit = defineRoute({
  method: "get",
  path: "/audit",
  summary: "List actions of the organization, the newest first",
  scope: "org:admin",
  limit: "read",
  body: noBody,
  query: z.object({ after: z.string().optional() }),
  replies: {
    200: pageOf(z.object({ at_ms: z.number(), actor: z.string(), action: z.string(), subject: z.string() })),
  },
  async handle({ world, caller, query: { after } }) {
    let query = world.database
      .selectFrom("audit_log")
      .select(["id", "at_ms", "actor", "action", "subject"])
      .where("org_id", "=", caller.orgId);
    if (after !== undefined) query = query.where("id", "<", parseCursor(after)[1]);
    const rows = await query
      .orderBy("id", "desc")
      .limit(pageSize + 1)
      .execute();
    const items = rows.slice(0, pageSize);
    const last = items.at(-1);
    const next = rows.length > pageSize && last !== undefined ? renderCursor(last.at_ms, last.id) : null;
    return { status: 200, body: { items: items.map(({ id: _id, ...item }) => item), next } };
  },
});

import * as z from "zod";
import {
  createAccessToken,
  listAccessTokens,
  newTokenBody,
  revokeAccessToken,
} from "../../management/access-tokens.js";
import { readAuditLog } from "../../management/audit-log.js";
import { notFound } from "../api-error.js";
import { defineRoute, noBody, noQuery } from "../route.js";
import { auditReply, errorReply, pageOf, tokenReply } from "./reply-schemas.js";

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

export const newToken = defineRoute({
  method: "post",
  path: "/tokens",
  summary: "Create a token. The answer is the only place that shows it",
  scope: "org:admin",
  limit: "write",
  body: newTokenBody,
  query: noQuery,
  replies: { 201: z.object({ id: z.string(), token: z.string(), expires_ms: z.number() }), 422: errorReply },
  async handle({ world, caller, body }) {
    const { id, token, expiresMs } = await createAccessToken(world, caller, body);
    return { status: 201, body: { id, token, expires_ms: expiresMs } };
  },
});

export const listTokens = defineRoute({
  method: "get",
  path: "/tokens",
  summary: "List the tokens that cover no other projects than this one",
  scope: "org:admin",
  limit: "read",
  body: noBody,
  query: noQuery,
  replies: { 200: z.object({ items: z.array(tokenReply) }) },
  async handle({ world, caller }) {
    return { status: 200, body: { items: await listAccessTokens(world, caller) } };
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
    await revokeAccessToken(world, caller, id);
    return { status: 200, body: { id } };
  },
});

export const audit = defineRoute({
  method: "get",
  path: "/audit",
  summary: "List actions of the organization, the newest first. For tokens that cover all projects",
  scope: "org:admin",
  limit: "read",
  body: noBody,
  query: z.object({ after: z.string().optional() }),
  replies: { 200: pageOf(auditReply) },
  async handle({ world, caller, query: { after } }) {
    return { status: 200, body: await readAuditLog(world, caller, after) };
  },
});

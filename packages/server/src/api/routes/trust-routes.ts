import * as z from "zod";
import { noteAction } from "../../auth/audit.js";
import { createId, sha256 } from "../../auth/secrets.js";
import { createToken } from "../../auth/tokens.js";
import { verifyJwt, type JwtClaims } from "../../auth/verify-jwt.js";
import { inTransaction } from "../../database/retry-conflicts.js";
import { pageSize } from "../../history/cursor.js";
import { notFound, unauthorized } from "../api-error.js";
import { defineRoute, noBody, noQuery, projectOf, type ApiWorld } from "../route.js";
import { errorReply } from "./reply-schemas.js";

const tokenMs = 15 * 60_000;

const text = z.string().min(1).max(1_000);
const trustBody = z.object({
  repository_id: z
    .string()
    .regex(/^\d{1,20}$/, "The number of the repository, which a new repository of the same name does not get"),
  ref: text.nullable().default(null).describe("Such as refs/heads/main; null for every branch, tag and pull request"),
  environment: text.nullable().default(null).describe("Environment that the job must run in"),
});
/** What GitHub says of a job. All of it is text; what is not counts as missing. */
const jobClaims = z.looseObject({
  repository_id: z.string().catch(""),
  ref: z.string().nullable().catch(null),
  environment: z.string().nullable().catch(null),
});
const trustReply = trustBody.extend({ id: z.string(), created_ms: z.number() });

const path = "/projects/{project}/trusts";
const shared = { scope: "project:admin", query: noQuery } as const;

export const addTrust = defineRoute({
  ...shared,
  method: "post",
  path,
  summary: "Let jobs of a repository in GitHub Actions upload without a stored token",
  limit: "write",
  body: trustBody,
  replies: { 201: trustReply, 422: errorReply },
  async handle({ world, caller, body, ...call }) {
    const project = projectOf(call);
    const row = { ...body, id: createId("tru"), created_ms: world.now() };
    await world.database
      .insertInto("trusts")
      .values({ ...row, org_id: project.org_id, project_id: project.id })
      .execute();
    await noteAction(world, caller, "trust.create", row.id);
    return { status: 201, body: row };
  },
});

export const listTrusts = defineRoute({
  ...shared,
  method: "get",
  path,
  summary: "List the repositories whose jobs may upload",
  limit: "read",
  body: noBody,
  replies: { 200: z.object({ items: z.array(trustReply) }) },
  async handle({ world, ...call }) {
    const project = projectOf(call);
    const items = await world.database
      .selectFrom("trusts")
      .select(["id", "repository_id", "ref", "environment", "created_ms"])
      .where("org_id", "=", project.org_id)
      .where("project_id", "=", project.id)
      .orderBy("created_ms")
      .orderBy("id")
      .limit(pageSize)
      .execute();
    return { status: 200, body: { items } };
  },
});

export const removeTrust = defineRoute({
  ...shared,
  method: "delete",
  path: `${path}/{trust}`,
  summary: "Trust a repository no longer. Its tokens are revoked",
  limit: "write",
  body: noBody,
  replies: { 200: z.object({ id: z.string() }), 404: errorReply },
  async handle({ world, caller, params, ...call }) {
    const project = projectOf(call);
    const id = params["trust"] ?? "";
    await inTransaction(world.database, async (work) => {
      const found = await work
        .deleteFrom("trusts")
        .where("org_id", "=", project.org_id)
        .where("project_id", "=", project.id)
        .where("id", "=", id)
        .returning("id")
        .executeTakeFirst();
      if (found === undefined) throw notFound("Trust");
      await work.deleteFrom("tokens").where("org_id", "=", project.org_id).where("trust_id", "=", id).execute();
    });
    await noteAction(world, caller, "trust.delete", id);
    return { status: 200, body: { id } };
  },
});

export const exchangeIdToken = defineRoute({
  method: "post",
  path: "/auth/oidc",
  summary: "Exchange an ID token of GitHub Actions, once, for a token that may upload for 15 minutes",
  scope: null,
  limit: "anonymous",
  body: z.object({ project: text, token: z.string() }),
  query: noQuery,
  replies: {
    200: z.object({ access_token: z.string(), token_type: z.literal("Bearer"), expires_ms: z.number() }),
    401: errorReply,
    503: errorReply,
  },
  async handle({ world, body }) {
    const { githubIssuer } = world;
    const claims = await verifyJwt(body.token, {
      issuer: githubIssuer.issuer,
      audience: world.origin(),
      nowMs: world.now(),
      keyFor: (kid) => githubIssuer.keyFor(kid),
    });
    const trust = await findTrust(world, body.project, claims);
    const made = await inTransaction(world.database, async (work) => {
      const own = { ...world, database: work };
      await useOnce(own, trust.org_id, claims);
      // Those of earlier jobs would fill the list of tokens.
      const expired = work.deleteFrom("tokens").where("org_id", "=", trust.org_id).where("trust_id", "=", trust.id);
      await expired.where("expires_ms", "<=", world.now()).execute();
      const created = await createToken(work, {
        orgId: trust.org_id,
        userId: null,
        name: `GitHub Actions, repository ${trust.repository_id}`,
        scopes: ["runs:write"],
        projects: [trust.project_id],
        nowMs: world.now(),
        forMs: tokenMs,
        trustId: trust.id,
      });
      await noteAction(own, { orgId: trust.org_id, tokenId: trust.id }, "token.exchange", created.id);
      return created;
    });
    return { status: 200, body: { access_token: made.token, token_type: "Bearer", expires_ms: made.expiresMs } };
  },
});

/** An unknown project gets the same answer as one that trusts another repository. */
async function findTrust({ database }: ApiWorld, project: string, claims: JwtClaims) {
  const { repository_id, ref: ownRef, environment: ownEnvironment } = jobClaims.parse(claims);
  const rows = await database
    .selectFrom("trusts as t")
    .innerJoin("projects as p", "p.id", "t.project_id")
    .select(["t.id", "t.org_id", "t.project_id", "t.repository_id", "t.ref", "t.environment"])
    .where("p.name", "=", project)
    .where("t.repository_id", "=", repository_id)
    .orderBy("t.created_ms")
    .orderBy("t.id")
    .execute();
  const fitting = rows.filter(
    ({ ref, environment }) =>
      (ref === null || ref === ownRef) && (environment === null || environment === ownEnvironment),
  );
  const [first] = fitting;
  // Two organizations on one server: nobody knows which one is meant.
  const isClear = fitting.every(({ org_id }) => org_id === first?.org_id);
  if (first === undefined || !isClear) {
    throw unauthorized(`Project "${project}" does not trust this repository, ref or environment`);
  }
  return first;
}

/** An ID token that was seen is refused, also by another server on the same database. */
async function useOnce({ database, now }: ApiWorld, orgId: string, { jti, exp }: JwtClaims): Promise<void> {
  if (jti === undefined) throw unauthorized("The ID token lacks claims");
  await database.deleteFrom("oidc_uses").where("expires_ms", "<=", now()).execute();
  const used = await database
    .insertInto("oidc_uses")
    .values({ hash: sha256(jti), org_id: orgId, expires_ms: exp * 1_000 + tokenMs })
    .onConflict((found) => found.column("hash").doNothing())
    .returning("hash")
    .executeTakeFirst();
  if (used === undefined) throw unauthorized("The ID token was exchanged already: get a new one");
}

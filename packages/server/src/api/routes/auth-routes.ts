import * as z from "zod";
import { noteAction } from "../../auth/audit.js";
import { findMember } from "../../auth/check-password.js";
import { scopesOf } from "../../auth/roles.js";
import { createId, createSecret, createUserCode, hashPassword, sha256 } from "../../auth/secrets.js";
import { createToken, scopes } from "../../auth/tokens.js";
import { inTransaction } from "../../database/retry-conflicts.js";
import { ApiError, notFound, unauthorized } from "../api-error.js";
import { defineRoute, noBody, noQuery } from "../route.js";
import { errorReply } from "./reply-schemas.js";

const shared = { method: "post", scope: null, query: noQuery } as const;
const deviceMinutes = 10;
const pollSeconds = 5;
const grant = "urn:ietf:params:oauth:grant-type:device_code";
const tokenBody = z.object({ access_token: z.string(), token_type: z.literal("Bearer"), expires_ms: z.number() });
const person = { email: z.email().max(200), password: z.string().min(12).max(200) };

export const setUp = defineRoute({
  ...shared,
  path: "/auth/setup",
  summary: "Create the organization and its owner, once, with the secret of the setup link",
  limit: "login",
  body: z.object({ secret: z.string(), organization: z.string().min(1).max(100), ...person }),
  replies: { 201: tokenBody, 401: errorReply },
  async handle({ world, body: { secret, organization, email, password } }) {
    const hashed = await hashPassword(password);
    const made = await inTransaction(world.database, async (work) => {
      const used = await work
        .updateTable("setup_links")
        .set({ used_ms: world.now() })
        .where("hash", "=", sha256(secret))
        .where("used_ms", "is", null)
        .where("expires_ms", ">", world.now())
        .returning("hash")
        .executeTakeFirst();
      if (used === undefined) throw unauthorized("The setup link was used, or it expired. Restart the server");
      const [orgId, userId, created_ms] = [createId("org"), createId("usr"), world.now()];
      await work.insertInto("orgs").values({ id: orgId, name: organization, plan: null, created_ms }).execute();
      await work
        .insertInto("users")
        .values({ id: userId, email: email.toLowerCase(), password: hashed, created_ms })
        .execute();
      await work.insertInto("memberships").values({ org_id: orgId, user_id: userId, role: "owner" }).execute();
      const token = { orgId, userId, name: "setup", scopes, projects: null, nowMs: world.now() };
      const created = await createToken(work, token);
      await noteAction({ ...world, database: work }, { orgId, tokenId: created.id }, "org.create", orgId);
      return created;
    });
    return { status: 201, body: { access_token: made.token, token_type: "Bearer", expires_ms: made.expiresMs } };
  },
});

export const startDevice = defineRoute({
  ...shared,
  path: "/auth/device",
  summary: "Begin a login with a device code (RFC 8628)",
  limit: "login",
  body: noBody,
  replies: {
    200: z.object({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      expires_in: z.number(),
      interval: z.number(),
    }),
  },
  async handle({ world }) {
    const { secret, hash } = createSecret("kld_");
    const user_code = createUserCode();
    const expires_ms = world.now() + deviceMinutes * 60_000;
    await world.database.deleteFrom("device_codes").where("expires_ms", "<", world.now()).execute();
    const row = { hash, user_code, org_id: null, user_id: null, state: "pending" as const, expires_ms };
    await world.database.insertInto("device_codes").values(row).execute();
    const body = {
      device_code: secret,
      user_code,
      verification_uri: `${world.origin()}/device`,
      expires_in: deviceMinutes * 60,
      interval: pollSeconds,
    };
    return { status: 200, body };
  },
});

export const approveDevice = defineRoute({
  ...shared,
  path: "/auth/approve",
  summary: "Approve a device code with the password of a person",
  limit: "login",
  body: z.object({ user_code: z.string(), ...person }),
  replies: { 200: z.object({ approved: z.literal(true) }), 401: errorReply, 404: errorReply },
  async handle({ world, body: { user_code, email, password } }) {
    const { userId, orgId } = await findMember(world.database, { email, password });
    const approved = await world.database
      .updateTable("device_codes")
      .set({ state: "approved", org_id: orgId, user_id: userId })
      .where("user_code", "=", user_code.toUpperCase())
      .where("state", "=", "pending")
      .where("expires_ms", ">", world.now())
      .returning("hash")
      .executeTakeFirst();
    if (approved === undefined) throw notFound("Code");
    return { status: 200, body: { approved: true } };
  },
});

const waiting = (code: string, message: string): ApiError => new ApiError(400, code, message);

export const exchangeDevice = defineRoute({
  ...shared,
  path: "/auth/token",
  summary: "Exchange an approved device code for a token; 400 with authorization_pending until then",
  limit: "anonymous",
  takesForms: true,
  body: z.object({ grant_type: z.literal(grant), device_code: z.string() }),
  replies: { 200: tokenBody, 400: errorReply },
  async handle({ world, body: { device_code } }) {
    const hash = sha256(device_code);
    const made = await inTransaction(world.database, async (work) => {
      const found = await work
        .selectFrom("device_codes")
        .selectAll()
        .where("hash", "=", hash)
        .forUpdate()
        .executeTakeFirst();
      if (found === undefined || found.expires_ms <= world.now() || found.state === "used") {
        throw waiting("expired_token", "The code has expired: log in again");
      }
      const { org_id: orgId, user_id: userId } = found;
      if (found.state !== "approved" || orgId === null || userId === null) {
        throw waiting("authorization_pending", "The code is not approved yet");
      }
      await work.updateTable("device_codes").set({ state: "used" }).where("hash", "=", hash).execute();
      const { role } = await work
        .selectFrom("memberships")
        .select("role")
        .where("org_id", "=", orgId)
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      const own = scopesOf(role);
      const created = await createToken(work, {
        orgId,
        userId,
        name: "kindlm login",
        scopes: own,
        projects: null,
        nowMs: world.now(),
      });
      await noteAction({ ...world, database: work }, { orgId, tokenId: created.id }, "token.create", created.id);
      return created;
    });
    return { status: 200, body: { access_token: made.token, token_type: "Bearer", expires_ms: made.expiresMs } };
  },
});

import * as z from "zod";
import { noteAction } from "../../auth/audit.js";
import { findMember } from "../../auth/check-password.js";
import { decideDevice, deviceMinutes } from "../../auth/device-codes.js";
import { scopesOf } from "../../auth/roles.js";
import { createSecret, createUserCode, sha256 } from "../../auth/secrets.js";
import { createToken, scopes } from "../../auth/tokens.js";
import { inTransaction } from "../../database/retry-conflicts.js";
import { emailAddress, newPassword, setUpBody, setUpServer } from "../../management/set-up.js";
import { ApiError } from "../api-error.js";
import { defineRoute, noBody, noQuery } from "../route.js";
import { errorReply } from "./reply-schemas.js";

const shared = { method: "post", scope: null, query: noQuery } as const;
const pollSeconds = 5;
const grant = "urn:ietf:params:oauth:grant-type:device_code";
const tokenBody = z.object({ access_token: z.string(), token_type: z.literal("Bearer"), expires_ms: z.number() });

export const setUp = defineRoute({
  ...shared,
  path: "/auth/setup",
  summary: "Create the organization and its owner, once, with the secret of the setup link",
  limit: "login",
  body: setUpBody,
  replies: { 201: tokenBody, 401: errorReply },
  async handle({ world, body }) {
    const made = await setUpServer(world, body, async (work, { orgId, userId }) => {
      const token = { orgId, userId, name: "setup", scopes, projects: null, nowMs: world.now() };
      return createToken(work, token);
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
      verification_uri_complete: z.string(),
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
      verification_uri_complete: `${world.origin()}/device?code=${user_code}`,
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
  body: z.object({ user_code: z.string(), email: emailAddress, password: newPassword }),
  replies: { 200: z.object({ approved: z.literal(true) }), 401: errorReply, 404: errorReply },
  async handle({ world, body: { user_code, email, password } }) {
    const { userId, orgId } = await findMember(world.database, { email, password });
    await decideDevice(world, { orgId, userId }, user_code, "approved");
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
      if (found.state === "denied") throw waiting("access_denied", "The login was denied");
      const { org_id: orgId, user_id: userId } = found;
      if (found.state !== "approved" || orgId === null || userId === null) {
        throw waiting("authorization_pending", "The code is not approved yet");
      }
      await work.updateTable("device_codes").set({ state: "used" }).where("hash", "=", hash).execute();
      const member = await work
        .selectFrom("memberships")
        .select("role")
        .where("org_id", "=", orgId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      if (member === undefined) throw waiting("access_denied", "The person left the organization");
      const own = scopesOf(member.role);
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

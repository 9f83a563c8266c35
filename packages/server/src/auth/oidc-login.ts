import { createHash, createHmac, randomBytes } from "node:crypto";
import * as z from "zod";
import { unauthorized, unavailable } from "../api/api-error.js";
import { sendRequest } from "../outbound/send-request.js";
import type { OidcIssuer } from "./oidc-issuer.js";
import { verifyJwt } from "./verify-jwt.js";

/** A service with which people sign in (OpenID Connect), and what it knows this server as. */
export interface OidcClient {
  issuer: OidcIssuer;
  clientId: string;
  clientSecret: string;
}

/** A browser that signs in. */
export interface OidcVisit {
  client: OidcClient;
  /** What only this browser knows. State, nonce and verifier are made of it, so they belong to it. */
  key: string;
  /** The address to which the service sends the browser back. */
  redirectUri: string;
  nowMs: number;
}

const validMs = 10 * 60_000;
const timeoutMs = 10_000;
const mostBytes = 1_000_000;

const endpointsSchema = z.object({
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
});

const derive = (key: string, use: string, attempt: string): string =>
  createHmac("sha256", key).update(`${use} ${attempt}`).digest("base64url");

async function endpointsOf({ issuer }: OidcClient) {
  const parsed = endpointsSchema.safeParse(await issuer.configuration());
  if (!parsed.success) throw unavailable(`${issuer.issuer} does not offer to sign in people`);
  return parsed.data;
}

/**
 * The address of the service to which the browser goes: authorization code with PKCE. `to` is the page of this server
 * that the person wanted to see. Throws an ApiError.
 */
export async function startOidcLogin({ client, key, redirectUri, nowMs }: OidcVisit, to: string): Promise<string> {
  const { authorization_endpoint: endpoint } = await endpointsOf(client);
  const attempt = `${nowMs}~${randomBytes(9).toString("base64url")}~${Buffer.from(to).toString("base64url")}`;
  const url = new URL(endpoint);
  const parameters = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope: "openid email",
    state: `${attempt}.${derive(key, "state", attempt)}`,
    nonce: derive(key, "nonce", attempt),
    code_challenge: createHash("sha256")
      .update(derive(key, "verifier", attempt))
      .digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * The email of the person whom the service sends back, which the service has verified, and the page to show. Throws an ApiError if the answer
 * belongs to another browser, is too old, or is not valid.
 */
export async function finishOidcLogin(
  visit: OidcVisit,
  { code, state = "", iss }: Readonly<Record<string, string | undefined>>,
): Promise<{ email: string; to: string }> {
  const { client, key, nowMs } = visit;
  const [attempt = "", mark = ""] = state.split(".");
  const [started, , page = ""] = attempt.split("~");
  const startedMs = Number(started);
  const isOwn = mark === derive(key, "state", attempt) && nowMs - startedMs <= validMs;
  if (!isOwn || code === undefined) throw unauthorized("The login was not started here, or it took too long");
  const { issuer } = client.issuer;
  if (iss !== undefined && iss !== issuer) throw unauthorized("The answer is of another service");
  const idToken = await redeem(visit, code, derive(key, "verifier", attempt));
  const claims = await verifyJwt(idToken, {
    issuer,
    audience: client.clientId,
    nowMs,
    keyFor: (kid) => client.issuer.keyFor(kid),
  });
  const { nonce, azp = client.clientId, email, email_verified: isVerified } = claims;
  if (nonce !== derive(key, "nonce", attempt)) throw unauthorized("The answer belongs to another login");
  if (azp !== client.clientId) throw unauthorized("The answer is for another program");
  if (typeof email !== "string" || isVerified !== true) throw unauthorized("The service has not verified your email");
  return { email: email.toLowerCase(), to: Buffer.from(page, "base64url").toString("utf8") };
}

const replySchema = z.looseObject({ id_token: z.string() });

/** Exchanges the code for an ID token. */
async function redeem({ client, redirectUri }: OidcVisit, code: string, verifier: string): Promise<string> {
  const { token_endpoint: endpoint, token_endpoint_auth_methods_supported: methods } = await endpointsOf(client);
  const { clientId, clientSecret } = client;
  const isBasic = methods.includes("client_secret_basic");
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(isBasic ? {} : { client_id: clientId, client_secret: clientSecret }),
  });
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  const url = new URL(endpoint);
  const isLocal = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url.protocol !== "https:" && !isLocal) throw unavailable(`${client.issuer.issuer} does not use HTTPS`);
  try {
    const { status, body } = await sendRequest({
      url,
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
        ...(isBasic ? { authorization } : {}),
      },
      body: form.toString(),
      timeoutMs,
      mostBytes,
      // Whoever runs the server has named the service, so it may be in a private network.
      mayConnect: () => true,
    });
    if (status === 200) return replySchema.parse(JSON.parse(body.toString("utf8"))).id_token;
  } catch {
    throw unavailable(`${client.issuer.issuer} did not answer`);
  }
  throw unauthorized("The service refused the login");
}

import { kindlmError, withDetails, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { RunWorld } from "../../run/environment.js";
import type { HttpTransport } from "../../providers/http/transport.js";
import { proxySettingsOf } from "../../providers/http/proxy-settings.js";
import { createUndiciTransport } from "../../providers/http/undici-transport.js";
import { ServerConnection, type ServerPorts, type ServerSettings } from "./call-server.js";
import { isRecord } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";
import { mayTakeTokens } from "../../values/server-address.js";
import { chooseServer, chooseToken, hintForToken, isToken, type TokenSource } from "./choose-server.js";
import { Credentials } from "./credentials.js";

/** What the commands of the results server take of the world. */
export type ServerWorld = Pick<RunWorld, "env" | "clock" | "http" | "signal" | "redactor" | "atEnd" | "onServerTrace">;

export interface WantedServer {
  /** `--server`. */
  flag: string | undefined;
  /** `upload.server`. */
  config: string | null;
  /** On the server; null if it is not known yet. */
  project: string | null;
}

/** How long the server may take; see ServerSettings. Default: 30 s for each call. */
export type ServerBounds = Partial<Pick<ServerSettings, "isBounded" | "mostMs">>;

export interface OpenedServer {
  server: ServerConnection;
  /** Where the token comes from. */
  from: TokenSource;
}

/** The server that is meant, with its token. Fails with CLOUD_AUTH_ERROR if one of them is missing. */
export async function openServer(
  wanted: WantedServer,
  world: ServerWorld,
  bounds: ServerBounds = {},
): Promise<Result<OpenedServer>> {
  const { env, clock } = world;
  const chosen = chooseServer({ ...wanted, env });
  if (!chosen.success) return chosen;
  const { address, namedBy } = chosen.data;
  const anonymous = new ServerConnection(
    { address, token: null, isBounded: false, ...bounds },
    portsOf(world, address),
  );
  const found = await chooseToken(chosen.data, env, new Credentials(env, clock));
  const job = found.success || namedBy === "config" ? null : jobOf(env);
  if (found.success) return success({ server: authorize(anonymous, found.data, world), from: found.data.from });
  if (job === null) return found;
  const exchanged = await exchangeToken(anonymous, job, wanted.project, world);
  if (!exchanged.success) return exchanged;
  return success({ server: authorize(anonymous, { token: exchanged.data, from: "github" }, world), from: "github" });
}

/** The same server with a token. */
export function authorize(
  server: ServerConnection,
  { token, from }: { token: string; from: TokenSource },
  { redactor }: Pick<ServerWorld, "redactor">,
): ServerConnection {
  // A token that is in no variable is unknown to the redactor.
  redactor.add([token]);
  return server.withToken(token, hintForToken(from, server.address));
}

export function portsOf(world: ServerWorld, address: string): ServerPorts {
  const { clock, signal, onServerTrace } = world;
  const http = transportFor(world, address);
  const trace = onServerTrace === undefined ? {} : { trace: onServerTrace };
  return { http, clock, signal: signal ?? new AbortController().signal, ...trace };
}

/** Where a job of GitHub Actions gets a token that says which job it is. */
interface JobIdentity {
  url: string;
  token: string;
}

/** Null unless the job may ask for such a token. */
function jobOf(env: ServerWorld["env"]): JobIdentity | null {
  const [url, token] = [env["ACTIONS_ID_TOKEN_REQUEST_URL"] ?? "", env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] ?? ""];
  return url === "" || token === "" || env["KINDLM_TOKEN"] ? null : { url, token };
}

/** Gets a token for uploads to a project in return for one of GitHub, which serves once: each attempt needs a new one. */
async function exchangeToken(
  server: ServerConnection,
  job: JobIdentity,
  project: string | null,
  world: ServerWorld,
): Promise<Result<string>> {
  if (project === null) return failure(noProject());
  const path = "/auth/oidc";
  const body = async (): Promise<Result<string>> => {
    const asked = await askForIdentity(job, server.address, world);
    return asked.success ? success(JSON.stringify({ project, token: asked.data })) : asked;
  };
  const answered = await server.call({ method: "POST", path, headers: { "content-type": "application/json" }, body });
  if (!answered.success) {
    const isRefused = answered.error.code === "CLOUD_AUTH_ERROR" && answered.error.details?.status === 401;
    return isRefused
      ? failure(withDetails(answered.error, { hint: hintForToken("github", server.address) }))
      : answered;
  }
  const { access_token: token } = answered.data.data;
  if (typeof token === "string" && isToken(token)) return success(token);
  return failure(
    kindlmError("CLOUD_UPLOAD_ERROR", `${server.address} answered the request for a token with something else`),
  );
}

async function askForIdentity(
  { url, token }: JobIdentity,
  address: string,
  { http, signal, redactor }: ServerWorld,
): Promise<Result<string>> {
  if (!URL.canParse(url) || !mayTakeTokens(new URL(url))) return failure(noIdentity("its address is not HTTPS"));
  const request = new URL(url);
  request.searchParams.set("audience", new URL(address).origin);
  const timeouts = { connectMs: 5_000, headersMs: 5_000, idleMs: 5_000, requestMs: 5_000 };
  const headers = { accept: "application/json", authorization: `Bearer ${token}` };
  const sent = await http.send(
    { url: request.href, method: "GET", headers, timeouts },
    { signal: signal ?? new AbortController().signal },
  );
  if (!sent.success) return failure(noIdentity("the request failed", sent.error.kind !== "aborted"));
  const { status, body } = sent.data;
  const parsed = parseJson(body);
  const identity = parsed.success && isRecord(parsed.data) ? parsed.data["value"] : null;
  if (status !== 200 || typeof identity !== "string" || !/^[\w-]+(?:\.[\w-]+){2}$/.test(identity)) {
    return failure(noIdentity(`it answered ${status}`, status >= 500));
  }
  redactor.add([identity]);
  return success(identity);
}

function noIdentity(reason: string, retryable = false): KindlmError {
  const hint = "Give the job the permission id-token: write, or set KINDLM_TOKEN";
  const message = `GitHub gave no token for this job: ${reason}`;
  return kindlmError("CLOUD_AUTH_ERROR", message, { details: { retryable, hint } });
}

export function noProject(): KindlmError {
  const hint = "Use --project, or set upload.project or project in the config";
  return kindlmError("CLOUD_UPLOAD_ERROR", "The project on the results server is not known", { details: { hint } });
}

/** Plain HTTP is for this machine alone: a proxy would read the token. */
function transportFor({ http, env, clock, atEnd }: ServerWorld, address: string): HttpTransport {
  if (!address.startsWith("http:") || proxySettingsOf(env) === null) return http;
  const direct = createUndiciTransport(clock);
  atEnd(() => direct.close());
  return direct;
}

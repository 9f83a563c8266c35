import type { ProjectPlace } from "../config/locate-root.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { ServerConnection, type ServerAnswer } from "../upload/client/call-server.js";
import { chooseServer, isToken, type ChosenServer, type ChosenToken } from "../upload/client/choose-server.js";
import { Credentials } from "../upload/client/credentials.js";
import { logInByCode, type DeviceCode } from "../upload/client/log-in.js";
import { authorize, openServer, portsOf } from "../upload/client/open-server.js";
import { readUploadConfig } from "../upload/client/upload-config.js";
import { isList } from "../values/json.js";

export type { DeviceCode } from "../upload/client/log-in.js";

/** The server that is meant. */
export interface ServerOptions extends ProjectPlace {
  /** Its address. Default: `KINDLM_SERVER`, or `upload.server` of the config. */
  server?: string;
}

export interface LoginOptions extends ServerOptions {
  /** A token to store; default: one that a person approves in a browser. */
  token?: string;
  /** Shows a person what to do. */
  onCode(code: DeviceCode): void | Promise<void>;
}

/** Whose token it is, as far as the server says. */
export interface Account {
  server: string;
  /** Null if the server does not say, or the token is that of a program. */
  user: string | null;
  organization: string | null;
  /** Null without plans. */
  plan: string | null;
  scopes: readonly string[];
  projects: readonly string[];
  /** ISO 8601; null if the server does not say. */
  expiresAt: string | null;
  tokenFrom: ChosenToken["from"];
}

/**
 * Gets a token from the server and stores it for this person. A given token is only sent to a server that a person named,
 * not to one from the config. Fails with CLOUD_AUTH_ERROR, CLOUD_UPLOAD_ERROR, CLOUD_RATE_LIMIT and STORE_WRITE_ERROR.
 */
export function logIn(options: LoginOptions, environment: Environment = {}): Promise<Result<Account>> {
  return withRunWorld(environment, async (world) => {
    const chosen = await chosenServer(options, world);
    if (!chosen.success) return chosen;
    const { address, namedBy } = chosen.data;
    const credentials = new Credentials(world.env, world.clock);
    // Nobody should approve a login whose token cannot be stored.
    const stored = await credentials.read();
    if (!stored.success) return stored;
    const given = options.token?.trim();
    if (given !== undefined && namedBy === "config") return failure(namedByConfig(address));
    if (given !== undefined && !isToken(given)) return failure(notAToken());
    const ports = portsOf(world, address);
    const anonymous = new ServerConnection({ address, token: null, isBounded: false }, ports);
    const token = given === undefined ? await logInByCode(anonymous, options.onCode, ports) : success(given);
    if (!token.success) return token;
    const account = await askWhoAmI(authorize(address, { token: token.data, from: "login" }, world), "login");
    if (!account.success) return account;
    const saved = await credentials.save(address, token.data);
    return saved.success ? account : saved;
  });
}

/** Revokes the stored token and removes it, also if the server cannot be reached: then it fails with why, and the token expires later. */
export function logOut(options: ServerOptions, environment: Environment = {}): Promise<Result<{ server: string }>> {
  return withRunWorld(environment, async (world) => {
    const chosen = await chosenServer(options, world);
    if (!chosen.success) return chosen;
    const { address } = chosen.data;
    const credentials = new Credentials(world.env, world.clock);
    const stored = await credentials.read();
    if (!stored.success) return stored;
    const token = stored.data.get(address);
    if (token === undefined) return failure(kindlmError("CLOUD_AUTH_ERROR", `Not logged in to ${address}`));
    const server = authorize(address, { token, from: "login" }, world);
    const revoked = await server.call({ method: "DELETE", path: "/tokens/self", answers: [401] });
    const removed = await credentials.remove(address);
    if (!removed.success) return removed;
    return revoked.success ? success({ server: address }) : failure(notRevoked(revoked.error, address));
  });
}

/** Asks the server whose token is used. Fails with CLOUD_AUTH_ERROR, CLOUD_UPLOAD_ERROR and CLOUD_RATE_LIMIT. */
export function whoAmI(options: ServerOptions, environment: Environment = {}): Promise<Result<Account>> {
  return withRunWorld(environment, async (world) => {
    const config = await readUploadConfig(options, world);
    if (!config.success) return config;
    const opened = await openServer({ flag: options.server, config: config.data.server }, world);
    return opened.success ? askWhoAmI(opened.data.server, opened.data.from) : opened;
  });
}

async function chosenServer(options: ServerOptions, world: RunWorld): Promise<Result<ChosenServer>> {
  const config = await readUploadConfig(options, world);
  if (!config.success) return config;
  return chooseServer({ flag: options.server, env: world.env, config: config.data.server });
}

async function askWhoAmI(server: ServerConnection, from: ChosenToken["from"]): Promise<Result<Account>> {
  const asked = await server.call({ method: "GET", path: "/me" });
  if (!asked.success) return asked;
  const { data } = asked.data;
  const { expires_ms: expiresMs } = data;
  return success({
    server: server.address,
    user: textIn(data, "user"),
    organization: textIn(data, "organization"),
    plan: textIn(data, "plan"),
    scopes: textsIn(data, "scopes"),
    projects: textsIn(data, "projects"),
    expiresAt: typeof expiresMs === "number" ? new Date(expiresMs).toISOString() : null,
    tokenFrom: from,
  });
}

function textIn(data: ServerAnswer["data"], key: string): string | null {
  const text = data[key];
  return typeof text === "string" ? text : null;
}

function textsIn(data: ServerAnswer["data"], key: string): readonly string[] {
  const { [key]: texts } = data;
  return isList(texts) ? texts.filter((text) => typeof text === "string") : [];
}

function notAToken(): KindlmError {
  const hint = "Pipe the token alone into the command: cat token.txt | kindlm login --token";
  return kindlmError("CLOUD_AUTH_ERROR", "Standard input has no token", { details: { hint } });
}

function namedByConfig(server: string): KindlmError {
  const message = "A token from standard input is not sent to an address that the config names";
  const hint = `Use --server ${server}, or set KINDLM_SERVER`;
  return kindlmError("CLOUD_AUTH_ERROR", message, { details: { server, hint } });
}

function notRevoked(error: KindlmError, server: string): KindlmError {
  const message = `The token was removed here and not revoked. ${error.message}`;
  const hint = `Revoke it on the server: ${server}`;
  return kindlmError("CLOUD_UPLOAD_ERROR", message, { details: { server, hint }, cause: error.cause });
}

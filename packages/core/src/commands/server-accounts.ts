import type { ProjectPlace } from "../config/locate-root.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { ServerConnection, type ServerAnswer } from "../upload/client/call-server.js";
import { chooseServer, isToken, type ChosenServer } from "../upload/client/choose-server.js";
import { Credentials } from "../upload/client/credentials.js";
import { logInByCode, type DeviceCode } from "../upload/client/log-in.js";
import { askAccount, type Account } from "../upload/client/ask-account.js";
import { authorize, openServer, portsOf } from "../upload/client/open-server.js";
import { readUploadConfig } from "../upload/client/upload-config.js";

export type { Account } from "../upload/client/ask-account.js";
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
    const server = authorize(anonymous, { token: token.data, from: "login" }, world);
    const account = await askAccount({ server, from: "login" });
    if (!account.success) return account;
    const saved = await credentials.save(address, token.data);
    if (saved.success) return account;
    // Nobody could use a new token that is stored nowhere, and nobody could revoke it.
    if (given === undefined) await revoke(server);
    return saved;
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
    if (token === undefined) return failure(noLogin(address));
    const anonymous = new ServerConnection({ address, token: null, isBounded: false }, portsOf(world, address));
    const revoked = await revoke(authorize(anonymous, { token, from: "login" }, world));
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
    const wanted = { flag: options.server, config: config.data.server, project: config.data.project };
    const opened = await openServer(wanted, world);
    return opened.success ? askAccount(opened.data) : opened;
  });
}

/** True as answer too if the server has forgotten the token. */
function revoke(server: ServerConnection): Promise<Result<ServerAnswer>> {
  return server.call({ method: "DELETE", path: "/tokens/self", answers: [401] });
}

async function chosenServer(options: ServerOptions, world: RunWorld): Promise<Result<ChosenServer>> {
  const config = await readUploadConfig(options, world);
  if (!config.success) return config;
  return chooseServer({ flag: options.server, env: world.env, config: config.data.server });
}

function notAToken(): KindlmError {
  const hint = "Pipe the token alone into the command: cat token.txt | kindlm login --token";
  return kindlmError("CLOUD_AUTH_ERROR", "Standard input has no token", { details: { hint } });
}

function noLogin(server: string): KindlmError {
  const hint = "No token is stored for it. KINDLM_TOKEN is removed where it is set";
  return kindlmError("CLOUD_AUTH_ERROR", `Not logged in to ${server}`, { details: { server, hint } });
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

import { success, type Result } from "../../result.js";
import type { RunWorld } from "../../run/environment.js";
import type { HttpTransport } from "../../providers/http/transport.js";
import { proxySettingsOf } from "../../providers/http/proxy-settings.js";
import { createUndiciTransport } from "../../providers/http/undici-transport.js";
import { ServerConnection, type ServerPorts } from "./call-server.js";
import { chooseServer, chooseToken, hintForToken, type ChosenToken } from "./choose-server.js";
import { Credentials } from "./credentials.js";

/** What the commands of the results server take of the world. */
export type ServerWorld = Pick<RunWorld, "env" | "clock" | "http" | "signal" | "redactor" | "atEnd">;

export interface WantedServer {
  /** `--server`. */
  flag: string | undefined;
  /** `upload.server`. */
  config: string | null;
}

export interface OpenedServer {
  server: ServerConnection;
  /** Where the token comes from. */
  from: ChosenToken["from"];
}

/** The server that is meant, with its token. Fails with CLOUD_AUTH_ERROR if one of them is missing. */
export async function openServer(
  wanted: WantedServer,
  world: ServerWorld,
  isBounded = false,
): Promise<Result<OpenedServer>> {
  const chosen = chooseServer({ ...wanted, env: world.env });
  if (!chosen.success) return chosen;
  const token = await chooseToken(chosen.data, world.env, new Credentials(world.env, world.clock));
  if (!token.success) return token;
  return success({ server: authorize(chosen.data.address, token.data, world, isBounded), from: token.data.from });
}

export function authorize(
  address: string,
  { token, from }: ChosenToken,
  world: ServerWorld,
  isBounded = false,
): ServerConnection {
  // A stored token is in no variable that the redactor could know.
  world.redactor.add([token]);
  return new ServerConnection(
    { address, token, tokenHint: hintForToken(from, address), isBounded },
    portsOf(world, address),
  );
}

export function portsOf(world: ServerWorld, address: string): ServerPorts {
  const { clock, signal } = world;
  return { http: transportFor(world, address), clock, signal: signal ?? new AbortController().signal };
}

/** Plain HTTP is for this machine alone: a proxy would read the token. */
function transportFor({ http, env, clock, atEnd }: ServerWorld, address: string): HttpTransport {
  if (!address.startsWith("http:") || proxySettingsOf(env) === null) return http;
  const direct = createUndiciTransport(clock);
  atEnd(() => direct.close());
  return direct;
}

import { success, type Result } from "../../result.js";
import type { World } from "../../run/environment.js";
import { ServerConnection, type ServerPorts } from "./call-server.js";
import { chooseServer, chooseToken, hintForToken, type ChosenToken } from "./choose-server.js";
import { Credentials } from "./credentials.js";

/** What the commands of the results server take of the world. */
export type ServerWorld = Pick<World, "env" | "clock" | "http" | "signal" | "redactor">;

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
  return new ServerConnection({ address, token, tokenHint: hintForToken(from, address), isBounded }, portsOf(world));
}

export function portsOf({ http, clock, signal }: ServerWorld): ServerPorts {
  return { http, clock, signal: signal ?? new AbortController().signal };
}

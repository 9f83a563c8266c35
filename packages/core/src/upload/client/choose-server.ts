import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { parseServerAddress } from "../../values/server-address.js";
import type { Credentials } from "./credentials.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Who named a server: a person or the CI system, or a file that anybody can change in a pull request. */
type NamedBy = "flag" | "environment" | "config";

export interface ChosenServer {
  address: string;
  namedBy: NamedBy;
}

export interface NamedServers {
  /** `--server`. */
  flag: string | undefined;
  /** Of the process, without `.env` files, which are part of the repository. */
  env: Env;
  /** `upload.server`. */
  config: string | null;
}

/** Fails with CLOUD_AUTH_ERROR if no server is named, or an address that cannot be used. */
export function chooseServer({ flag, env, config }: NamedServers): Result<ChosenServer> {
  const fromEnv = env["KINDLM_SERVER"];
  const [written, namedBy]: readonly [string, NamedBy] =
    flag !== undefined
      ? [flag, "flag"]
      : fromEnv !== undefined && fromEnv !== ""
        ? [fromEnv, "environment"]
        : [config ?? "", "config"];
  if (written === "") {
    const hint = "Use --server, set KINDLM_SERVER, or set upload.server in the config";
    return failure(kindlmError("CLOUD_AUTH_ERROR", "No results server is set", { details: { hint } }));
  }
  const parsed = parseServerAddress(written);
  if (parsed.success) return success({ address: parsed.data, namedBy });
  const { message, hint } = parsed.error;
  return failure(kindlmError("CLOUD_AUTH_ERROR", message, { details: { hint } }));
}

export interface ChosenToken {
  token: string;
  from: "environment" | "login";
}

/** Where a token can come from. */
export type TokenSource = ChosenToken["from"] | "github";

/**
 * The token for a server. That of the environment goes to an address from `--server` or `KINDLM_SERVER` only: a config
 * can be changed by a pull request, which would get it. A stored one goes to the server that gave it. Fails with
 * CLOUD_AUTH_ERROR.
 */
export async function chooseToken(
  { address, namedBy }: ChosenServer,
  env: Env,
  credentials: Credentials,
): Promise<Result<ChosenToken>> {
  const fromEnv = env["KINDLM_TOKEN"]?.trim() ?? "";
  if (fromEnv !== "" && namedBy !== "config") {
    if (isToken(fromEnv)) return success({ token: fromEnv, from: "environment" });
    const hint = "Set it to a token of the results server, without spaces and line breaks";
    return failure(kindlmError("CLOUD_AUTH_ERROR", "KINDLM_TOKEN is not a token", { details: { hint } }));
  }
  const stored = await credentials.read();
  if (!stored.success) return stored;
  const token = stored.data.get(address);
  if (token !== undefined) return success({ token, from: "login" });
  const details = { server: address };
  if (fromEnv !== "") {
    const message = "KINDLM_TOKEN is not sent to an address that the config names";
    const hint = `Set KINDLM_SERVER=${address} as well, where pull requests cannot change it`;
    return failure(kindlmError("CLOUD_AUTH_ERROR", message, { details: { ...details, hint } }));
  }
  const message = `Not logged in to ${address}`;
  const hint = `Run: kindlm login --server ${address}`;
  return failure(kindlmError("CLOUD_AUTH_ERROR", message, { details: { ...details, hint } }));
}

/** Whether text can be sent as a token, and masked in what is printed. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{8,2000}$/.test(text);
}

/** What to do about a token that the server refused, by where it comes from. */
export function hintForToken(from: TokenSource, address: string): string {
  if (from === "github") return "Let the project on the server trust this repository, and its branch or environment";
  return from === "environment" ? "Set KINDLM_TOKEN to a valid token" : `Run: kindlm login --server ${address}`;
}

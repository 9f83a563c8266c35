import { success, type Result } from "../../result.js";
import { isList } from "../../values/json.js";
import type { ServerAnswer } from "./call-server.js";
import type { TokenSource } from "./choose-server.js";
import type { OpenedServer } from "./open-server.js";

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
  tokenFrom: TokenSource;
}

/** Asks the server whose token is used. Fails with CLOUD_AUTH_ERROR, CLOUD_UPLOAD_ERROR and CLOUD_RATE_LIMIT. */
export async function askAccount({ server, from }: OpenedServer): Promise<Result<Account>> {
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

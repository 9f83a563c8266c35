import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { isToken } from "./choose-server.js";
import type { ServerAnswer, ServerConnection } from "./call-server.js";

/** What a person does to log in: open the page, and enter the code. */
export interface DeviceCode {
  page: string;
  /** The page with the code in it; null if the server has none. */
  pageWithCode: string | null;
  code: string;
  expiresInMs: number;
}

const clientId = "kindlm-cli";
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const asJson = { "content-type": "application/json" };
/** What RFC 8628 says if the server does not. */
const usualIntervalMs = 5_000;
/** Added when the server asks to slow down. */
const slowerMs = 5_000;
const longestMs = 10 * 60_000;

/**
 * The device authorization grant of RFC 8628, with bodies in JSON like the rest of the API: a person approves the code in a browser, on any machine. Returns the token.
 * Fails with CLOUD_AUTH_ERROR if the person refuses or the code expires.
 */
export async function logInByCode(
  server: ServerConnection,
  show: (code: DeviceCode) => void | Promise<void>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Result<string>> {
  const asked = await post(server, "/auth/device", { client_id: clientId });
  if (!asked.success) return asked;
  const read = readDeviceCode(asked.data.data);
  if (read === null) return failure(notUnderstood(server, "the request for a code"));
  const { deviceCode, shown } = read;
  let { intervalMs } = read;
  await show(shown);
  const endsAt = clock.monotonic() + shown.expiresInMs;
  while (clock.monotonic() + intervalMs <= endsAt) {
    await clock.sleep(intervalMs, signal);
    if (signal.aborted) return failure(interrupted(server));
    const answered = await post(server, "/auth/token", {
      grant_type: deviceGrant,
      device_code: deviceCode,
      client_id: clientId,
    });
    if (!answered.success) return answered;
    const { status, data } = answered.data;
    if (status < 300) {
      const token = data["access_token"];
      return typeof token === "string" && isToken(token)
        ? success(token)
        : failure(notUnderstood(server, "the request for a token"));
    }
    const reason = data["error"];
    if (reason === "slow_down") intervalMs += slowerMs;
    else if (reason !== "authorization_pending") return failure(refusedLogin(server, answered.data));
  }
  return failure(expired(server));
}

function post(
  server: ServerConnection,
  path: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Result<ServerAnswer>> {
  const body = JSON.stringify(parameters);
  // "Not yet" is a 400 there.
  return server.call({ method: "POST", path, headers: asJson, body, answers: path === "/auth/token" ? [400] : [] });
}

function readDeviceCode(
  data: ServerAnswer["data"],
): { deviceCode: string; shown: DeviceCode; intervalMs: number } | null {
  const { device_code: deviceCode, user_code: code, verification_uri: page, verification_uri_complete: whole } = data;
  if (typeof deviceCode !== "string" || typeof code !== "string" || typeof page !== "string" || !isPage(page)) {
    return null;
  }
  const expiresInMs = Math.min(longestMs, seconds(data["expires_in"]) ?? longestMs);
  const intervalMs = seconds(data["interval"]) ?? usualIntervalMs;
  const pageWithCode = typeof whole === "string" && isPage(whole) ? whole : null;
  return { deviceCode, shown: { page, pageWithCode, code, expiresInMs }, intervalMs };
}

function isPage(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

function seconds(value: unknown): number | null {
  return typeof value === "number" && value > 0 ? value * 1_000 : null;
}

function refusedLogin({ address }: ServerConnection, { data }: ServerAnswer) {
  const reason = data["error"];
  if (reason === "expired_token") return expired({ address });
  const message = reason === "access_denied" ? "The login was declined in the browser" : "The server ended the login";
  return kindlmError("CLOUD_AUTH_ERROR", message, { details: { server: address, hint: "Run: kindlm login" } });
}

function expired({ address }: Pick<ServerConnection, "address">) {
  const message = "The code expired before the login was approved";
  return kindlmError("CLOUD_AUTH_ERROR", message, { details: { server: address, hint: "Run: kindlm login" } });
}

function interrupted({ address }: ServerConnection) {
  const details = { server: address, isAborted: true as const, hint: "Run: kindlm login" };
  return kindlmError("CLOUD_AUTH_ERROR", "The login was interrupted", { details });
}

function notUnderstood({ address }: ServerConnection, what: string) {
  const hint = "Check that the address is that of a KindLM results server of the same version";
  const message = `${address} answered ${what} with something else`;
  return kindlmError("CLOUD_UPLOAD_ERROR", message, { details: { server: address, hint } });
}

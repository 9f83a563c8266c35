import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { PlanDetails, ServerErrorDetails } from "../../errors/server-error-details.js";
import { retryHintMs } from "../../providers/http/retry-hints.js";
import type { HttpFailure, HttpReply } from "../../providers/http/transport.js";
import { isList, isRecord } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";
import { onOneLine } from "../../values/visible.js";

const longestMessage = 300;
const longestBody = 2_000;

/** What the body of an error says: `{ error, message, details }`. */
interface ErrorBody {
  error: string | null;
  message: string | null;
  details: Readonly<Record<string, unknown>>;
}

type Reply = Pick<HttpReply, "status" | "headers" | "body">;

/** The one place where a reply of the results server that is not a success becomes a code, with the server's own words. */
export function classifyServerReply(server: string, reply: Reply, nowMs: number): KindlmError {
  const { status } = reply;
  const said = readErrorBody(reply.body);
  const details: ServerErrorDetails = { server, status, body: cut(reply.body, longestBody) };
  if (said.error !== null) details.error = said.error;
  const words = (otherwise: string): string => said.message ?? `${server} ${otherwise}`;
  const upload = (message: string, hint: string): KindlmError =>
    kindlmError("CLOUD_UPLOAD_ERROR", message, { details: { ...details, hint } });

  if (status === 401) {
    return kindlmError("CLOUD_AUTH_ERROR", words("does not accept the token"), { details });
  }
  if (status === 403 && isPlanError(said.error)) {
    const plan = { ...details, ...planDetails(said.details) };
    return kindlmError("CLOUD_PLAN_LIMIT", words("needs another plan for this"), { details: plan });
  }
  if (status === 403) {
    const scope = textIn(said.details, "required_scope");
    const hint =
      scope === undefined
        ? "Check the address of the server, and the scopes of the token"
        : `Use a token with the scope ${scope}`;
    return kindlmError("CLOUD_AUTH_ERROR", words("does not allow this"), { details: { ...details, hint } });
  }
  if (status === 429) {
    const retryAfterMs = retryHintMs(reply.headers, "", nowMs);
    const hint = { retryable: true, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
    // The wait is shown by whoever shows the error, in the same words.
    const without = retryAfterMs === null ? /\.?$/ : /\.?(?: Retry after \d+ seconds?)?\.?$/;
    const message = words("received too many requests").replace(without, ".");
    return kindlmError("CLOUD_RATE_LIMIT", message, { details: { ...details, ...hint } });
  }
  if (status >= 500) {
    const retryAfterMs = retryHintMs(reply.headers, "", nowMs);
    const retry = { retryable: true, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
    const hint = "The server has a problem. Try again later: kindlm upload";
    return kindlmError("CLOUD_UPLOAD_ERROR", words(`answered ${status}`), { details: { ...details, ...retry, hint } });
  }
  if (status >= 300 && status < 400) {
    const to = onOneLine(cut(reply.headers["location"] ?? "another address", longestMessage));
    const hint = "KindLM follows no redirects. Set the address of the server itself";
    return upload(`${server} redirects to ${to}`, hint);
  }
  return upload(words(`answered ${status}`), hintFor(status, said));
}

/** A success without what the API promises. */
export function unusableReply(server: string, reply: Reply, reason: string): KindlmError {
  const details = { server, status: reply.status, body: cut(reply.body, longestBody), hint: checkAddress };
  return kindlmError("CLOUD_UPLOAD_ERROR", `${server} answered ${reply.status} with ${reason}`, { details });
}

/** Why no reply came. */
export function classifyServerFailure(server: string, problem: HttpFailure): KindlmError {
  const { cause } = problem;
  const fail = (message: string, more: Omit<ServerErrorDetails, "server">): KindlmError =>
    kindlmError("CLOUD_UPLOAD_ERROR", message, { details: { server, ...more }, cause });
  switch (problem.kind) {
    case "timeout":
      return fail(`${server} did not answer within ${Math.round(problem.ms / 1_000)} s`, {
        retryable: true,
        hint: "Check that the server is running, and the connection to it",
      });
    case "aborted":
      return fail("The request to the results server was interrupted", { isAborted: true, hint: "Try again" });
    case "network": {
      const { systemCode } = problem;
      const isUntrusted = /CERT|SIGNED|ISSUER|VERIFY/.test(systemCode ?? "");
      const hint = isUntrusted
        ? "Set NODE_EXTRA_CA_CERTS to a file that contains the certificate of its issuer"
        : "Check the address, that the server is running, and proxy settings";
      const code = systemCode === null ? {} : { systemCode };
      return fail(`Failed to connect to ${server}: ${problem.message}`, { ...code, retryable: !isUntrusted, hint });
    }
    case "unreadable":
      return fail(`${server} answered ${problem.status}, but ${problem.message}`, {
        status: problem.status,
        retryable: problem.status >= 500,
        hint: checkAddress,
      });
    case "unsendable":
    case "withheld":
      return fail(`The request to ${server} cannot be sent: ${problem.message}`, { hint: checkAddress });
  }
}

const checkAddress = "Check that the address is that of a KindLM results server";

function hintFor(status: number, { error, details }: ErrorBody): string {
  if (error === null) return checkAddress;
  if (status === 404) return "Check upload.project in the config, and that your account has access to it";
  if (status === 409) return "The server keeps the content that it received first. Start a new run to replace it";
  if (status === 413) return "Upload without --transcripts";
  if (status === 422) return firstIssue(details) ?? "Update KindLM and the server to the same version";
  return "--verbose shows the reply";
}

/** Such as `cases.0.id: too long`. */
function firstIssue({ issues }: ErrorBody["details"]): string | undefined {
  const first = isList(issues) ? issues[0] : undefined;
  if (!isRecord(first) || typeof first["message"] !== "string") return undefined;
  const { path: place } = first;
  const path = isList(place) ? place.map(String).join(".") : typeof place === "string" ? place : "";
  return onOneLine(cut(path === "" ? first["message"] : `${path}: ${first["message"]}`, longestMessage));
}

/** The specification has both: one in its table, one in its example. */
function isPlanError(error: string | null): boolean {
  return error === "plan_required" || error === "CLOUD_PLAN_LIMIT";
}

function planDetails(details: ErrorBody["details"]): PlanDetails {
  const entries = Object.entries({
    feature: textIn(details, "feature"),
    requiredPlan: textIn(details, "required_plan"),
    currentPlan: textIn(details, "current_plan"),
    upgradeUrl: textIn(details, "upgrade_url"),
  });
  return Object.fromEntries(entries.filter(([, text]) => text !== undefined));
}

function textIn(details: ErrorBody["details"], key: string): string | undefined {
  const text = details[key];
  return typeof text === "string" ? onOneLine(cut(text, longestMessage)) : undefined;
}

function readErrorBody(body: string): ErrorBody {
  const parsed = parseJson(body);
  const read = parsed.success && isRecord(parsed.data) ? parsed.data : {};
  const { error, message, details } = read;
  return {
    error: typeof error === "string" ? onOneLine(cut(error, 60)) : null,
    message: typeof message === "string" && message.trim() !== "" ? onOneLine(cut(message, longestMessage)) : null,
    details: isRecord(details) ? details : {},
  };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

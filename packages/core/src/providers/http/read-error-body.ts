import { isRecord } from "../../values/json.js";
import { bodyRoom, parseJson } from "../../values/parse-json.js";

/** What the body of an error reply says beyond its status. */
export interface ErrorBody {
  /** The server's own sentence; null if the body has none that can be distinguished from the rest. */
  message: string | null;
  /** True when the account is empty or its limit is reached: waiting does not help. */
  isQuota: boolean;
  /** True when the key itself is refused, whatever the status. */
  isKeyRefused: boolean;
  /** True for what passes by itself although the status does not say so, such as a model that is being loaded. */
  isPassing: boolean;
}

/** Codes and types of OpenAI, Anthropic, Amazon and others that stand for an exhausted quota or empty account. */
const quotaCodes = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  "billing_error",
  "payment_required",
  "contract_spend_limit_reached",
  "enforced_spend_limit_reached",
  "linked_organization_billing_unavailable",
  "linked_organization_spend_limit_reached",
  "ServiceQuotaExceededException",
]);

/** Names of Amazon's errors after which the same call may work. */
const passingCodes = new Set(["ModelNotReadyException", "ModelStreamErrorException"]);

/**
 * Anthropic says it in a 400 `invalid_request_error`, Azure's gateway in a 403, Cohere and Amazon in a 429 like that
 * of any other limit and Ollama in a 429 without a code, so only the text shows it.
 */
const quotaTexts = [
  /credit balance is too low/i,
  /exceeded your current quota/i,
  /insufficient (?:credits|balance|funds)/i,
  /out of call volume quota/i,
  /(?:calls|requests) ?(?:\/|per) ?month/i,
  /reached your (?:\w+ ){0,3}usage limit/i,
  /too many tokens per day/i,
];

/**
 * Reads `{ error: { message, type, code, details } }`, `{ error: "…" }`, `{ message }`, `{ Message }` and `{ detail }`,
 * and the first of several in a list. `named` is the name of the error where a header has it (`x-amzn-errortype`); a
 * stream of Amazon has it in `__type`.
 */
export function readErrorBody(status: number, body: string, named?: string): ErrorBody {
  const parsed = parseJson(body, bodyRoom);
  const whole = parsed.success ? parsed.data : null;
  const first: unknown = Array.isArray(whole) ? whole[0] : whole;
  const outer = isRecord(first) ? first : {};
  const error = isRecord(outer["error"]) ? outer["error"] : outer;
  const details = isRecord(error["details"]) ? error["details"] : {};
  const message = firstText(error["message"], outer["error"], outer["message"], outer["Message"], outer["detail"]);
  const name = amazonName(named ?? outer["__type"]);
  const codes = [error["code"], error["type"], details["error_code"], name];
  const google = readGoogleError(error);
  const saysQuota =
    google?.isQuota ??
    (codes.some((code) => typeof code === "string" && quotaCodes.has(code)) ||
      quotaTexts.some((text) => text.test(message ?? "")));
  const isQuota = status === 402 || (status >= 400 && saysQuota);
  return { message, isQuota, isKeyRefused: google?.isKeyRefused ?? false, isPassing: passingCodes.has(name) };
}

/** `ThrottlingException:http://…`, `com.amazon.x#ThrottlingException` or `throttlingException`, without the rest. */
function amazonName(value: unknown): string {
  const name = typeof value === "string" ? (value.split(":")[0]?.split("#").at(-1) ?? "") : "";
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function firstText(...candidates: readonly unknown[]): string | null {
  for (const candidate of candidates) if (typeof candidate === "string" && candidate !== "") return candidate;
  return null;
}

/** What an error in Google's model says. */
interface GoogleError {
  /** A limit that lasts for the day or longer, or an account without money: waiting does not help. */
  isQuota: boolean;
  /** The key is wrong or expired, which Google reports with status 400. */
  isKeyRefused: boolean;
}

/** Free quotas are counted per minute and per day; the name of the exhausted one shows which it was. */
const dailyLimit = /per[ _]?day|daily/i;

/** An empty account, a cap on the spending, or a model for which the plan has no quota at all (`limit: 0`). */
const spentTexts = /credits are depleted|spending cap|\blimit: 0\b/i;

/**
 * Reads `{ code, message, status, details }` of https://google.aip.dev/193; null for an error in any other shape. The
 * message speaks of an exceeded quota for limits per minute as well, so that only the details decide: `QuotaFailure`
 * with its violations, and `ErrorInfo`.
 */
function readGoogleError(error: Record<string, unknown>): GoogleError | null {
  const { code, status, message } = error;
  if (typeof code !== "number" || typeof status !== "string") return null;
  const details = Array.isArray(error["details"]) ? error["details"].filter(isRecord) : [];
  const reasons = new Set(details.map((detail) => detail["reason"]));
  const limits = [message, ...details.flatMap(limitsOf)].filter((text) => typeof text === "string");
  const isSpent = typeof message === "string" && spentTexts.test(message);
  return {
    isQuota: reasons.has("BILLING_DISABLED") || isSpent || limits.some((text) => dailyLimit.test(text)),
    isKeyRefused: reasons.has("API_KEY_INVALID"),
  };
}

/** The names of the limits that one detail speaks of. */
function limitsOf(detail: Record<string, unknown>): readonly unknown[] {
  const violations = Array.isArray(detail["violations"]) ? detail["violations"].filter(isRecord) : [];
  const metadata = isRecord(detail["metadata"]) ? detail["metadata"] : {};
  return [
    metadata["quota_limit"],
    ...violations.flatMap((violation) => [violation["quotaId"], violation["quotaMetric"]]),
  ];
}

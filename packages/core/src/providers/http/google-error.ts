import { isRecord } from "../../values/json.js";

/** What an error in Google's model says. */
export interface GoogleError {
  /** A limit that lasts for the day or longer, or an account without money: waiting does not help. */
  isQuota: boolean;
  /** The key is wrong or expired, which Google tells with status 400. */
  isKeyRefused: boolean;
}

/** Free quotas are counted per minute and per day; the name of the one that is used up tells which it was. */
const dailyLimit = /per[ _]?day|daily/i;

/** An empty account, a cap on the spending, or a model for which the plan has no quota at all (`limit: 0`). */
const spentTexts = /credits are depleted|spending cap|\blimit: 0\b/i;

/**
 * Reads `{ code, message, status, details }` of https://google.aip.dev/193; null for an error in any other shape. The
 * message speaks of an exceeded quota for limits per minute as well, so that only the details decide: `QuotaFailure`
 * with its violations, and `ErrorInfo`.
 */
export function readGoogleError(error: Record<string, unknown>): GoogleError | null {
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

import { attemptSync } from "../../errors/boundary.js";
import { isRecord } from "../../values/json.js";

/** What the body of an error reply says beyond its status. */
export interface ErrorBody {
  /** The server's own sentence; null when the body has none that can be told from the rest. */
  message: string | null;
  /** True when the account is empty or its limit is reached: waiting does not help. */
  isQuota: boolean;
}

/** Codes and types of OpenAI, Anthropic and servers like them that stand for an exhausted quota or empty account. */
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
]);

/** Anthropic says it in a 400 `invalid_request_error` and Azure's gateway in a 403, so that only the text tells. */
const quotaTexts =
  /credit balance is too low|exceeded your current quota|insufficient (?:credits|balance|funds)|out of call volume quota/i;

/** Reads `{ error: { message, type, code, details } }`, `{ error: "…" }`, `{ message }` and `{ detail }`. */
export function readErrorBody(status: number, body: string): ErrorBody {
  const parsed = attemptSync(
    () => JSON.parse(body) as unknown,
    () => null,
  );
  const outer = parsed.success && isRecord(parsed.data) ? parsed.data : {};
  const error = isRecord(outer["error"]) ? outer["error"] : outer;
  const details = isRecord(error["details"]) ? error["details"] : {};
  const message = firstText(error["message"], outer["error"], outer["message"], outer["detail"]);
  const codes = [error["code"], error["type"], details["error_code"]];
  const isQuota =
    status === 402 ||
    (status >= 400 &&
      (codes.some((code) => typeof code === "string" && quotaCodes.has(code)) || quotaTexts.test(message ?? "")));
  return { message, isQuota };
}

function firstText(...candidates: readonly unknown[]): string | null {
  for (const candidate of candidates) if (typeof candidate === "string" && candidate !== "") return candidate;
  return null;
}

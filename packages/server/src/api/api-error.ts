/** An answer that says what is wrong, in the form of section 7 of the error-handling specification. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    { details = {}, headers = {} }: { details?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

export const unauthorized = (message = "Not logged in, or the token expired"): ApiError =>
  new ApiError(401, "CLOUD_AUTH_ERROR", message, { headers: { "www-authenticate": "Bearer" } });

export const forbidden = (scope: string): ApiError =>
  new ApiError(403, "forbidden", `The token lacks the scope ${scope}`, { details: { required_scope: scope } });

export const notFound = (what = "Resource"): ApiError => new ApiError(404, "not_found", `${what} not found`);

export const conflict = (message: string): ApiError => new ApiError(409, "conflict", message);

export const payloadTooLarge = (details: Record<string, unknown>): ApiError =>
  new ApiError(413, "payload_too_large", "The upload exceeds 5 MB", { details });

export const rateLimited = (seconds: number): ApiError =>
  new ApiError(429, "CLOUD_RATE_LIMIT", `Rate limit exceeded. Retry after ${seconds} seconds`, {
    details: { retry_after: seconds },
    headers: { "retry-after": String(seconds) },
  });

export const unavailable = (message: string): ApiError => new ApiError(503, "unavailable", message);

export const invalid = (message: string, issues: readonly object[] = []): ApiError =>
  new ApiError(422, "validation_error", message, { details: { issues } });

export const unexpected = (): ApiError => new ApiError(500, "UNKNOWN_ERROR", "Unexpected server error");

const upgradeUrl = "https://cloud.kindlm.com/settings/billing";

/** The feature is not part of the plan of the organization. */
export function planRequired(feature: string, plan: string): ApiError {
  const message = `This feature requires a Team or Enterprise plan. Current plan: ${plan}`;
  const details = { required_plan: "team", current_plan: plan, feature, upgrade_url: upgradeUrl };
  return new ApiError(403, "plan_required", message, { details });
}

/** The answer of the API to an error. */
export function renderError({ status, code, message, details, headers }: ApiError): Response {
  const body = JSON.stringify({ error: code, message, details });
  return new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
}

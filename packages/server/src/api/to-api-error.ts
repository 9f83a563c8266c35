import { codeOf } from "../database/retry-conflicts.js";
import { ApiError, unavailable, unexpected } from "./api-error.js";
import type { AppWorld } from "./app-world.js";

/** The disk is full, or the database does not answer. */
const unavailableCodes = new Set(["53100", "57P01", "57P03", "ECONNREFUSED", "ENOSPC"]);

/** What nobody expected is logged, and not shown. */
export function toApiError(error: unknown, { log }: Pick<AppWorld, "log">): ApiError {
  if (error instanceof ApiError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code !== null && unavailableCodes.has(code)) {
    log({ level: "error", code: "unavailable", message });
    return unavailable("The database is not available");
  }
  log({ level: "error", code: "UNKNOWN_ERROR", message });
  return unexpected();
}

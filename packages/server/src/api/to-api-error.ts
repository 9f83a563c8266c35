import { explainFailure } from "../database/explain-failure.js";
import { ApiError, unavailable, unexpected } from "./api-error.js";
import type { AppWorld, LogEntry } from "./app-world.js";

/** What nobody expected is logged, and not shown. `place` says of whom the request was. */
export function toApiError(
  error: unknown,
  { log }: Pick<AppWorld, "log">,
  place: Pick<LogEntry, "org_id" | "run_id"> = {},
): ApiError {
  if (error instanceof ApiError) return error;
  const message = withoutValues(error instanceof Error ? error.message : String(error));
  const failure = explainFailure(error);
  if (failure !== null) {
    log({ level: "error", code: "unavailable", message: `${failure.message}: ${message}. ${failure.fix}`, ...place });
    return unavailable(failure.message);
  }
  log({ level: "error", code: "UNKNOWN_ERROR", message, ...place });
  return unexpected();
}

/** PostgreSQL quotes the value that it could not read, which may be from a prompt. */
function withoutValues(message: string): string {
  return message.replaceAll(/: "[^]*"/g, ': "…"');
}

import { expect, it } from "vitest";
import { streamedError } from "./streamed-error.js";

it.each<[Record<string, unknown>, number]>([
  [{ error: { message: "…", type: "server_error", code: null } }, 500],
  [{ error: { message: "…", code: 502 } }, 502],
  [{ error: { message: "…", code: "429" } }, 429],
  [{ error: { message: "…", code: 12, status: "UNAVAILABLE" } }, 503],
  [{ object: "error", message: "…", type: "BadRequestError", code: 400 }, 400],
  [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, 529],
  [{ type: "error", error: { type: "rate_limit_error", message: "…" } }, 429],
  [{ type: "error", error: { type: "authentication_error", message: "…" } }, 401],
  [{ type: "error", error: { type: "permission_error", message: "…" } }, 403],
  [{ type: "error", error: { type: "not_found_error", message: "…" } }, 404],
  [{ type: "error", error: { type: "request_too_large", message: "…" } }, 413],
  [{ type: "error", error: { type: "timeout_error", message: "…" } }, 504],
  [{ type: "error", error: { type: "api_error", message: "…" } }, 500],
  [{ error: { code: "invalid_api_key", type: "invalid_request_error" } }, 401],
  [{ error: { code: "context_length_exceeded", type: "invalid_request_error" } }, 400],
  [{ error: "rate limit reached" }, 429],
  [{ error: "the author is away" }, 500],
  [{}, 500],
])("%j is an error reply of status %i", (data, status) => {
  expect(streamedError(data)).toEqual({ kind: "error", status, body: JSON.stringify(data) });
});

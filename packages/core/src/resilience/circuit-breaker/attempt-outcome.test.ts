import { describe, expect, it } from "vitest";
import { kindlmError } from "../../errors/kindlm-error.js";
import { outcomeOf } from "./attempt-outcome.js";

const withStatus = (code: "PROVIDER_AUTH_ERROR" | "PROVIDER_API_ERROR", status: number) =>
  kindlmError(code, "x", { details: { provider: "p", status } });

describe("outcomeOf", () => {
  it.each([
    ["an answer", null, false, "answered"],
    ["a 429", kindlmError("PROVIDER_RATE_LIMIT", "x"), true, "rate_limited"],
    ["a 401", withStatus("PROVIDER_AUTH_ERROR", 401), false, "key_refused"],
    ["a 400 that rejects the key", withStatus("PROVIDER_AUTH_ERROR", 400), false, "key_refused"],
    ["a 403, which may concern one model", withStatus("PROVIDER_AUTH_ERROR", 403), false, "answered"],
    ["a missing key", kindlmError("PROVIDER_AUTH_ERROR", "x"), false, "answered"],
    ["a 400", withStatus("PROVIDER_API_ERROR", 400), false, "answered"],
    ["a 503", withStatus("PROVIDER_API_ERROR", 503), true, "failed"],
    ["a timeout", kindlmError("PROVIDER_TIMEOUT", "x"), true, "failed"],
    ["a broken connection", kindlmError("PROVIDER_NETWORK_ERROR", "x"), true, "failed"],
    ["a timeout that is not to be repeated", kindlmError("PROVIDER_TIMEOUT", "x"), false, "unknown"],
    ["an interruption", kindlmError("ENGINE_ABORTED", "x"), false, "unknown"],
    ["the deadline of the trial", kindlmError("ENGINE_TIMEOUT", "x"), true, "unknown"],
  ] as const)("%s", (_name, error, retryable, outcome) => {
    expect(outcomeOf(error, retryable)).toBe(outcome);
  });
});

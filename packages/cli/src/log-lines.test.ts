import { kindlmError, type RunEvent } from "@kindlm/core";
import { describe, expect, it } from "vitest";
import { createLogLines } from "./log-lines.js";

const at = { seq: 1, time: Date.UTC(2026, 1, 15, 10, 30) };
const trial = { suite: "s", caseId: "s/a@gpt", trial: 1 };
const started: RunEvent = {
  ...at,
  channel: "progress",
  type: "run:start",
  runId: "run_1",
  suites: 1,
  cases: 1,
  trials: 1,
};

describe("createLogLines", () => {
  it("writes the fields of the specification", () => {
    const log = createLogLines();
    log.event(started);
    const error = kindlmError("PROVIDER_TIMEOUT", "OpenAI request timed out after 30000ms");
    const line = log.event({
      ...at,
      channel: "progress",
      type: "retry:start",
      turn: 1,
      attempt: 1,
      provider: "openai",
      waitMs: 5,
      error,
      ...trial,
    });
    expect(JSON.parse(line ?? "")).toEqual({
      level: "warn",
      code: "PROVIDER_TIMEOUT",
      message: "Waiting to try again: OpenAI request timed out after 30000ms",
      run_id: "run_1",
      timestamp: "2026-02-15T10:30:00.000Z",
      case: "s/a@gpt",
      provider: "openai",
      wait_ms: 5,
    });
  });

  it("never quotes what a provider said", () => {
    const log = createLogLines();
    const error = kindlmError("PROVIDER_API_ERROR", "OpenAI returned 500: the user's text", {
      details: { provider: "OpenAI", status: 500, body: "the user's text" },
    });
    expect(log.error(error)).toContain('"message":"OpenAI returned 500"');
    expect(log.error(error)).not.toContain("the user's text");
  });

  it("has no line for what is not worth one", () => {
    const log = createLogLines();
    expect(log.event({ ...at, channel: "progress", type: "trial:start", ...trial })).toBeUndefined();
  });
});

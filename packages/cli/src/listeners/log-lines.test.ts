import { kindlmError, type ErrorCode, type KindlmError, type RunEvent } from "@kindlm/core";
import { describe, expect, it } from "vitest";
import { sampleErrors } from "../commands/explain/sample-errors.js";
import { isOwnWords, LogLines } from "./log-lines.js";

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
  concurrency: 1,
  maxCostUsd: null,
};

describe("LogLines", () => {
  it("writes the fields of the specification", () => {
    const log = new LogLines();
    log.event(started);
    const error = kindlmError("PROVIDER_TIMEOUT", "OpenAI request timed out after 30000ms", {
      details: { provider: "OpenAI", timeout: { kind: "request", ms: 30_000 } },
    });
    const line = log.event({
      ...at,
      channel: "progress",
      type: "retry:start",
      turn: 1,
      attempt: 1,
      provider: "openai",
      model: "gpt",
      retry: 1,
      retries: 2,
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
    const log = new LogLines();
    const error = kindlmError("PROVIDER_API_ERROR", "OpenAI returned 500: the user's text", {
      details: { provider: "OpenAI", status: 500, body: "the user's text" },
    });
    expect(log.error(error)).toContain('"message":"OpenAI returned 500"');
    expect(log.error(error)).not.toContain("the user's text");
  });

  it("quotes nobody, whatever the code of the error", () => {
    const log = new LogLines();
    const said = "WHAT-THE-AGENT-SAID";
    for (const code of Object.keys(sampleErrors) as ErrorCode[]) {
      if (isOwnWords(code)) continue;
      const details = {
        provider: "OpenAI",
        kind: "unexpected",
        type: "module",
        status: 408,
        body: said,
        stderr: said,
        causedBy: { code: "X", message: said },
      };
      for (const error of [
        { code, message: said },
        { code, message: said, details },
      ] as KindlmError[]) {
        expect(log.error(error)).not.toContain(said);
        expect(log.warning({ code, message: said })).not.toContain(said);
        const event = {
          ...at,
          channel: "monitor",
          type: "error",
          severity: "error",
          phase: "model",
          message: said,
        } as const;
        expect(log.event({ ...event, error })).not.toContain(said);
      }
    }
    const tool = { ...at, channel: "monitor", type: "error", severity: "warn", phase: "tool", message: said } as const;
    const line = log.event({ ...tool, ...trial, detail: { tool: "pay", errorType: "logical", retryable: true } });
    expect(JSON.parse(line ?? "")).toMatchObject({ message: "Tool pay failed: logical error", case: "s/a@gpt" });
  });

  it("has no line for what is not worth one", () => {
    const log = new LogLines();
    expect(log.event({ ...at, channel: "progress", type: "trial:start", ...trial })).toBeUndefined();
  });
});

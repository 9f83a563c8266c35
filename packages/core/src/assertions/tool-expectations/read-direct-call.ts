import { success, type Result } from "../../result.js";
import type { Trial, TrialToolCall } from "../../transcript/trial.js";
import { evalError } from "../assertion-failure.js";
import { readToolCalls } from "./made-calls.js";

/** The call that a test with an MCP target is about: the last one. Fails with ASSERTION_EVAL_ERROR without any. */
export function readDirectCall(trial: Trial, type: string): Result<TrialToolCall> {
  const calls = readToolCalls(trial, type);
  if (!calls.success) return calls;
  const call = calls.data.findLast(({ rejectedTry }) => rejectedTry === undefined);
  if (call !== undefined) return success(call);
  return evalError(type, `The "${type}" assertion reads a call of an MCP server, but the trial has none`);
}

/** What the server said of the error of a call, as an event of the call has it; empty for a call without one. */
export function errorDetailsOf({ events = [] }: Pick<TrialToolCall, "events">): unknown {
  return events.findLast(({ name }) => name === "error")?.data ?? {};
}

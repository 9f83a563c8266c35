import { retryableByType } from "../tools/envelope.js";
import { readReturned } from "../tools/read-returned.js";
import { toolErrorTypes, type ToolErrorType, type ToolFailure } from "../transcript/tool-failure.js";
import type { TrialToolCall } from "../transcript/trial.js";
import { isRecord } from "../values/json.js";
import { parseJson } from "../values/parse-json.js";

/**
 * The tool's answer, from what the model received. The envelope `{ ok: false, errorType, … }` is read as the error
 * that it reports, any other `{ ok: false }` and what is marked as an error as a `logical` one. An object or a list in
 * JSON becomes data, any other text stays text.
 */
export function toolOutcomeOf(content: string, isError: boolean): Pick<TrialToolCall, "result" | "error"> {
  const value = dataOf(content);
  if (isRecord(value) && value["ok"] === false) {
    const returned = readReturned({ ok: true, value });
    if (!returned.ok) return { error: completed({ ...returned.failure, errorType: typeOf(value) ?? "logical" }) };
  }
  if (!isError) return { result: value };
  return { error: completed({ errorType: "logical", message: content }) };
}

/** An error with what it leaves out filled in. */
export function completed(failure: Omit<ToolFailure, "retryable"> & { retryable?: boolean }): ToolFailure {
  return { ...failure, retryable: failure.retryable ?? retryableByType[failure.errorType] };
}

function typeOf({ errorType }: Record<string, unknown>): ToolErrorType | undefined {
  return toolErrorTypes.find((type) => type === errorType);
}

function dataOf(content: string): unknown {
  if (!/^\s*[{[]/.test(content)) return content;
  const parsed = parseJson(content);
  return parsed.success ? parsed.data : content;
}

import type { ToolInvocation } from "../../tools/tool-runtime.js";
import { toolErrorTypes } from "../../transcript/tool-failure.js";
import { isRecord } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";

/**
 * The outcome of a call, from what an agent sent to its model: JSON is read as such, all else is text. An agent has no sign
 * for a failed call that others would know, so that only the envelope of KindLM's own tools is taken for a failure.
 */
export function readToolResult(content: string): ToolInvocation["outcome"] {
  const parsed = parseJson(content);
  if (!parsed.success) return { ok: true, value: content };
  const value = parsed.data;
  if (!isRecord(value) || value["ok"] !== false) return { ok: true, value };
  const errorType = toolErrorTypes.find((type) => type === value["errorType"]);
  if (errorType === undefined) return { ok: true, value };
  const message = typeof value["error"] === "string" ? value["error"] : content;
  return { ok: false, failure: { errorType, message, retryable: value["retryable"] === true } };
}

import { isList, isRecord } from "../../../values/json.js";
import { failure, success, type Result } from "../../../result.js";
import type { RequestedToolCall } from "../../../transcript/message.js";
import { readToolArguments, toolCallId } from "../../tool-arguments.js";
import type { FinishReason, ProviderResponse, RanToolCall } from "../../provider.js";
import type { InBandError, WireAnswer } from "../../wire-format.js";
import { readUsage } from "../../chat-completions/read-usage.js";
import { failedResponse } from "./failed-response.js";
import { toPassthrough } from "./passthrough-content.js";
import { readRanCall } from "./read-ran-call.js";

const incompleteReasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: "length",
  content_filter: "content_filter",
};

/** Reads a response. Errors as in {@link WireFormat.fromResponse}; `source` marks the reasoning that may go back. */
export function fromResponsesReply(
  json: Record<string, unknown>,
  turn: number,
  source: string,
): Result<WireAnswer, string | InBandError> {
  const status = typeof json["status"] === "string" ? json["status"] : null;
  if (status === "failed" || isRecord(json["error"])) {
    const { status: told, body } = failedResponse(json);
    return failure({ status: told, body });
  }
  if (status !== null && status !== "completed" && status !== "incomplete") {
    return failure(`an answer that is ${status.replaceAll("_", " ")}`);
  }
  if (!Array.isArray(json["output"])) return failure("no output in its body");
  const read = readItems(json["output"], turn);
  if (read === null) return failure("a tool call that has no function name");
  const { text, refusal, toolCalls, ranCalls, items } = read;
  return success({
    text: text || refusal,
    toolCalls,
    ...(ranCalls.length === 0 ? {} : { ranCalls }),
    finishReason: finishReasonOf(json, status, toolCalls.length > 0, refusal !== ""),
    usage: readUsage(json["usage"], "input_tokens", "output_tokens"),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
    providerData: toPassthrough(items, source),
  });
}

interface ReadItems {
  text: string;
  refusal: string;
  toolCalls: RequestedToolCall[];
  ranCalls: RanToolCall[];
  /** As they came, with the ids that were missing. */
  items: unknown[];
}

function readItems(output: readonly unknown[], turn: number): ReadItems | null {
  const read: ReadItems = { text: "", refusal: "", toolCalls: [], ranCalls: [], items: [] };
  for (const item of output) {
    if (isRecord(item) && item["type"] === "function_call") {
      if (typeof item["name"] !== "string" || item["name"] === "") return null;
      const { call_id: given } = item;
      const id = toolCallId(given, turn, read.toolCalls.length);
      read.toolCalls.push({ id, tool: item["name"], ...readToolArguments(item["arguments"]) });
      read.items.push(id === given ? item : { ...item, call_id: id });
      continue;
    }
    const ran = isRecord(item) ? readRanCall(item) : null;
    if (ran !== null) read.ranCalls.push(ran);
    read.items.push(item);
    if (isRecord(item) && item["type"] === "message") readMessage(read, item["content"]);
  }
  return read;
}

function readMessage(read: ReadItems, content: unknown): void {
  if (!isList(content)) return;
  for (const part of content) {
    if (!isRecord(part)) continue;
    if (part["type"] === "output_text" && typeof part["text"] === "string") read.text += part["text"];
    if (part["type"] === "refusal" && typeof part["refusal"] === "string") read.refusal += part["refusal"];
  }
}

function finishReasonOf(
  json: Record<string, unknown>,
  status: string | null,
  hasCalls: boolean,
  isRefusal: boolean,
): ProviderResponse["finishReason"] {
  const details = json["incomplete_details"];
  const reason = isRecord(details) && typeof details["reason"] === "string" ? details["reason"] : null;
  const raw = reason ?? status;
  if (isRefusal) return { unified: "refusal", raw };
  if (reason !== null || status === "incomplete") {
    const isKnown = reason !== null && Object.hasOwn(incompleteReasons, reason);
    return { unified: (isKnown ? incompleteReasons[reason] : undefined) ?? "other", raw };
  }
  if (hasCalls) return { unified: "tool_calls", raw };
  return { unified: status === "completed" ? "stop" : "other", raw };
}

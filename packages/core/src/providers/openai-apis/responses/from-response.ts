import { isList, isRecord } from "../../../values/json.js";
import { failure, success, type Result } from "../../../result.js";
import type { RequestedToolCall } from "../../../transcript/message.js";
import { readToolArguments, toolCallId } from "../../tool-arguments.js";
import type { FinishReason, ProviderResponse, RanToolCall } from "../../provider.js";
import type { InBandError, WireAnswer, StreamAssembler, StreamStep } from "../../wire-format.js";
import { readUsage } from "../../chat-completions/read-usage.js";
import { toPassthrough } from "./passthrough-content.js";
import { readRanCall } from "./read-ran-call.js";
import { streamedError } from "../../http/streaming/streamed-error.js";
import { qualifiedName } from "../../../values/plain-name.js";
import { isFiltered } from "../filtered-answer.js";

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
    if (isRecord(item) && isCall(item)) {
      if (typeof item["name"] !== "string" || item["name"] === "") return null;
      const { call_id: given } = item;
      const id = toolCallId(given, turn, read.toolCalls.length);
      read.toolCalls.push({ id, tool: qualifiedName(item["namespace"], item["name"]), ...argumentsOf(item) });
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

function isCall({ type }: Record<string, unknown>): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

/** The input of a custom tool is text, which is in `input` in every API that has such tools. */
function argumentsOf(item: Record<string, unknown>): ReturnType<typeof readToolArguments> {
  return item["type"] === "function_call" ? readToolArguments(item["arguments"]) : { args: { input: item["input"] } };
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

/**
 * Puts the events of a streamed response together. The last event holds the whole response; some servers leave its
 * output out, which is then what the `response.output_item.done` events brought.
 */
export function createResponsesAssembler(): StreamAssembler {
  let text = "";
  let response: Record<string, unknown> | null = null;
  const items = new Map<number, unknown>();

  return {
    get text() {
      return text;
    },
    add({ name, data }): StreamStep {
      const type = typeof data["type"] === "string" ? data["type"] : (name ?? "");
      switch (type) {
        case "response.output_text.delta": {
          const piece = typeof data["delta"] === "string" ? data["delta"] : "";
          text += piece;
          return { kind: piece === "" ? "meta" : "content" };
        }
        case "response.refusal.delta":
        case "response.function_call_arguments.delta":
        case "response.custom_tool_call_input.delta":
          return { kind: "content" };
        case "response.output_item.added":
          return { kind: isRecord(data["item"]) && isCall(data["item"]) ? "content" : "meta" };
        case "response.output_item.done":
          items.set(typeof data["output_index"] === "number" ? data["output_index"] : items.size, data["item"]);
          return { kind: "meta" };
        case "response.completed":
        case "response.incomplete":
          response = isRecord(data["response"]) ? data["response"] : {};
          return { kind: "end" };
        case "response.failed": {
          const failed = isRecord(data["response"]) ? data["response"] : {};
          if (!isFiltered(failed)) return failedResponse(failed);
          response = failed;
          return { kind: "end" };
        }
        case "error":
          return streamedError(data);
        default:
          return { kind: type.startsWith("response.") ? "meta" : "none" };
      }
    },
    finish() {
      if (response === null) return null;
      const { output } = response;
      if (Array.isArray(output) && output.length > 0) return response;
      const inOrder = [...items].toSorted(([a], [b]) => a - b);
      return { ...response, output: inOrder.map(([, item]) => item) };
    },
  };
}

/**
 * A response that says `failed`, as the error reply that it would have been. Its codes are listed under
 * https://developers.openai.com/api/reference/resources/responses: those about images mean the request.
 */
function failedResponse(response: Record<string, unknown>): ReturnType<typeof streamedError> {
  const error = isRecord(response["error"]) ? response["error"] : { code: "server_error", message: "No reason given" };
  const step = streamedError({ error });
  return String(error["code"]).includes("image") ? { ...step, status: 400 } : step;
}

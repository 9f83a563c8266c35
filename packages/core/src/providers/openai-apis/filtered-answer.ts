import { isRecord } from "../../values/json.js";
import type { WireAnswer } from "../wire-format.js";
import { bodyRoom, parseJson } from "../../values/parse-json.js";

/** Azure's code for a prompt or an answer that its content filter stopped. */
const filterCode = "content_filter";

/** Whether a body holds the error of a content filter. */
export function isFiltered(json: Record<string, unknown>): boolean {
  return isRecord(json["error"]) && json["error"]["code"] === filterCode;
}

/** Azure sends the error of its filter with status 400, as https://learn.microsoft.com/azure/foundry/openai shows. */
export function isFilterReply(status: number, body: string): boolean {
  if (status !== 400) return false;
  const parsed = parseJson(body, bodyRoom);
  return parsed.success && isRecord(parsed.data) && isFiltered(parsed.data);
}

/** The answer that a filter gives in place of the model's, as other providers give it without an error. */
export function filteredAnswer(json: Record<string, unknown>): WireAnswer {
  return {
    text: "",
    toolCalls: [],
    finishReason: { unified: "content_filter", raw: filterCode },
    usage: null,
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
  };
}

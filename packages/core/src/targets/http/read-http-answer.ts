import { readUsage } from "../../providers/chat-completions/read-usage.js";
import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import type { ToolInvocation } from "../../tools/tool-runtime.js";
import { isRecord } from "../../values/json.js";
import { lookUp } from "../../values/template.js";
import type { ResponsePaths } from "./http-settings.js";
import { bodyRoom, isJsonLimit, parseJson } from "../../values/parse-json.js";

export interface HttpAnswer {
  text: string;
  toolCalls: readonly { call: RequestedToolCall; outcome: ToolInvocation["outcome"] }[];
  usage: Usage | null;
  session: string | null;
}

/** The parts of an answer. Fails with what the reply does not hold. */
export function readHttpAnswer(body: string, paths: ResponsePaths): Result<HttpAnswer, string> {
  const { text, toolCalls, usage, session } = paths;
  if (text === null && toolCalls === null && usage === null && session === null) {
    return success({ text: body.trim(), toolCalls: [], usage: null, session: null });
  }
  const json = parseJson(body, bodyRoom);
  if (!json.success) return failure(isJsonLimit(json.error) ? `it is ${json.error}` : "it is not JSON");
  const at = (path: string): unknown => {
    const found = lookUp(path, { values: isRecord(json.data) ? json.data : { ...asList(json.data) } });
    return found.success ? found.data : undefined;
  };
  const answer = text === null ? body.trim() : at(text);
  if (answer === undefined || answer === null) return failure(`it has no "${text}"`);
  const calls = toolCalls === null ? [] : (at(toolCalls) ?? []);
  if (!Array.isArray(calls)) return failure(`"${toolCalls}" is no list`);
  const read: HttpAnswer["toolCalls"][number][] = [];
  for (const [index, entry] of calls.entries()) {
    const one = readCall(entry, index);
    if (one === null) return failure(`entry ${index + 1} of "${toolCalls}" names no tool`);
    read.push(one);
  }
  const counts = usage === null ? null : at(usage);
  const id = session === null ? null : at(session);
  return success({
    text: textOf(answer),
    toolCalls: read,
    usage:
      readUsage(counts, "input_tokens", "output_tokens") ?? readUsage(counts, "prompt_tokens", "completion_tokens"),
    session: id === undefined || id === null ? null : textOf(id),
  });
}

/** A list has its numbers as names. */
function asList(value: unknown): Record<string, unknown> {
  return Array.isArray(value) ? Object.fromEntries(value.map((item: unknown, index) => [String(index), item])) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A call as most agents write it down; OpenAI's has its parts under `function`. */
function readCall(entry: unknown, index: number): HttpAnswer["toolCalls"][number] | null {
  if (!isRecord(entry)) return null;
  const named = isRecord(entry["function"]) ? entry["function"] : entry;
  const tool = named["tool"] ?? named["name"];
  if (typeof tool !== "string") return null;
  const args = parsedIfText(named["args"] ?? named["arguments"] ?? {});
  const call = { id: `reported_${index}`, tool, args };
  const { error } = entry;
  if (error === undefined || error === null) return { call, outcome: { ok: true, value: entry["result"] } };
  return { call, outcome: { ok: false, failure: { errorType: "runtime", message: textOf(error), retryable: true } } };
}

function parsedIfText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const parsed = parseJson(value);
  return parsed.success ? parsed.data : value;
}

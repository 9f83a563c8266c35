import { believableUsage } from "../../providers/believable-usage.js";
import { readUsage } from "../../providers/chat-completions/read-usage.js";
import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import type { ToolInvocation } from "../../tools/tool-runtime.js";
import { readCall } from "../../transcript-import/read-call.js";
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
  if (!Array.isArray(calls)) return failure(`"${toolCalls}" is not a list`);
  const read: HttpAnswer["toolCalls"][number][] = [];
  for (const [index, entry] of calls.entries()) {
    const one = readCallEntry(entry, index);
    if (!one.success) return failure(`entry ${index + 1} of "${toolCalls}" ${one.error}`);
    read.push(one.data);
  }
  const counts = usage === null ? null : at(usage);
  const id = session === null ? null : at(session);
  return success({
    text: textOf(answer),
    toolCalls: read,
    usage: believableUsage(
      readUsage(counts, "input_tokens", "output_tokens") ?? readUsage(counts, "prompt_tokens", "completion_tokens"),
    ),
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

/** A call as most agents write it down. Fails with what is wrong with it. */
function readCallEntry(entry: unknown, index: number): Result<HttpAnswer["toolCalls"][number], string> {
  if (!isRecord(entry)) return failure("is not an object");
  const { result, error, ...written } = entry;
  const read = readCall(written);
  if ("problem" in read) return failure(read.problem);
  const { tool, args, malformed } = read.call;
  const call = { id: `reported_${index}`, tool, args: malformed === undefined ? args : malformed.raw };
  if (error === undefined || error === null) return success({ call, outcome: { ok: true, value: result } });
  const told = { errorType: "runtime", message: textOf(error), retryable: true } as const;
  return success({ call, outcome: { ok: false, failure: told } });
}

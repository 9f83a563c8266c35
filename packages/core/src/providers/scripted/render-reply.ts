import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import { renderTemplate } from "../../values/template.js";
import { parseToolArguments, toolCallId } from "../tool-arguments.js";
import type { FinishReason } from "../provider.js";
import type { ChosenReply } from "./choose-reply.js";
import type { Scene } from "./read-scene.js";

export interface RenderedReply {
  text: string;
  toolCalls: readonly RequestedToolCall[];
  finishReason: FinishReason;
}

/** Fills the placeholders of a reply. The error names one that stands for nothing. */
export function renderReply({ reply, match }: ChosenReply, scene: Scene): Result<RenderedReply, string> {
  const { user, turn, attempt, args, lastToolResult } = scene;
  const values: Record<string, unknown> = { user, turn, attempt, match };
  if (args !== undefined) values["args"] = args;
  if (lastToolResult !== null) values["last_tool_result"] = lastToolResult.value;
  const { text, json, tool_calls: calls = [] } = reply;
  const rendered = renderTemplate<unknown[]>([text ?? json, ...calls.map((call) => call.args ?? {})], { values });
  if (!rendered.success) {
    const [problem] = rendered.error;
    return failure(`{{${problem?.name ?? ""}}} of the script stands for nothing; there is ${listOf(problem?.known)}`);
  }
  const [answer, ...argsOfCalls] = rendered.data;
  const toolCalls = calls.map((call, index): RequestedToolCall => {
    const given = call.raw_args === undefined ? { args: argsOfCalls[index] } : parseToolArguments(call.raw_args);
    return { id: toolCallId(call.id, turn, index), tool: call.tool, ...given };
  });
  return success({
    text: textOf(answer, text === undefined),
    toolCalls,
    finishReason: reply.finish_reason ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
  });
}

/** A string that is exactly one placeholder becomes the value itself, which is then rendered as JSON. */
function textOf(answer: unknown, isJson: boolean): string {
  if (answer === undefined) return "";
  return typeof answer === "string" && !isJson ? answer : JSON.stringify(answer);
}

function listOf(names: readonly string[] = []): string {
  return names.length === 0 ? "nothing at that place" : names.join(", ");
}

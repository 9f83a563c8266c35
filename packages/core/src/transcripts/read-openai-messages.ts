import { readToolArguments } from "../providers/tool-arguments.js";
import { failure, success, type Result } from "../result.js";
import type { Message, RequestedToolCall } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";
import { textOfContent, userContentOf } from "./content-parts.js";
import { createMessageList, type MessageList } from "./message-list.js";

/**
 * Messages of OpenAI's chat completions, as `ChatCompletionMessageParam` of its SDK has them. The error says what is
 * wrong, going on after the place.
 */
export function readOpenAiMessages(written: readonly unknown[]): Result<readonly Message[], string> {
  const list = createMessageList();
  for (const [index, message] of written.entries()) {
    const problem = isRecord(message) ? addMessage(list, message) : "is no object";
    if (problem !== null) return failure(`messages[${index}] ${problem}`);
  }
  return success(list.messages);
}

function addMessage(list: MessageList, message: Record<string, unknown>): string | null {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer": {
      const text = textOfContent(content, "\n");
      if (text === null) return "has a content that is no text";
      list.system(text);
      return null;
    }
    case "user": {
      const said = userContentOf(content);
      if (said === null) return "has a content that is neither a text nor a list of parts";
      list.user(said);
      return null;
    }
    case "assistant":
      return addAssistant(list, message);
    case "tool":
      return addResult(list, message["tool_call_id"], content, "tool_call_id");
    case "function":
      return addResult(list, functionId(message["name"]), content, "name");
    default:
      return `has the role ${JSON.stringify(role)}; expected system, developer, user, assistant or tool`;
  }
}

function addAssistant(list: MessageList, message: Record<string, unknown>): string | null {
  const text = textOfContent(message["content"]);
  if (text === null) return "has a content that is no text";
  const calls: RequestedToolCall[] = [];
  const { tool_calls: written, function_call: single } = message;
  if (written !== undefined && written !== null && !Array.isArray(written)) return "has tool_calls that are no list";
  for (const call of Array.isArray(written) ? (written as readonly unknown[]) : []) {
    const read = isRecord(call) ? readCall(call) : null;
    if (read === null) return "has a tool call without a function and its name";
    calls.push(read);
  }
  if (isRecord(single) && typeof single["name"] === "string") {
    calls.push({ id: functionId(single["name"]), tool: single["name"], ...readToolArguments(single["arguments"]) });
  }
  list.assistant(text === "" ? textOf(message["refusal"]) : text, calls);
  return null;
}

/** A call of chat completions: of a function, or of a custom tool, whose input is any text. */
export function readCall(call: Record<string, unknown>): RequestedToolCall | null {
  const id = textOf(call["id"]);
  const { function: called, custom } = call;
  if (isRecord(called) && typeof called["name"] === "string") {
    return { id, tool: called["name"], ...readToolArguments(called["arguments"]) };
  }
  if (isRecord(custom) && typeof custom["name"] === "string")
    return { id, tool: custom["name"], args: custom["input"] };
  return null;
}

function addResult(list: MessageList, id: unknown, content: unknown, key: string): string | null {
  const text = textOfContent(content, "\n");
  if (text === null) return "has a content that is no text";
  if (typeof id !== "string") return `has no ${key}`;
  return list.result(id, text, false) ? null : `answers the call ${JSON.stringify(id)}, which nobody made before it`;
}

/** Calls of functions, which OpenAI had before tools, have no id; there is one at a time. */
function functionId(name: unknown): string {
  return `function:${textOf(name)}`;
}

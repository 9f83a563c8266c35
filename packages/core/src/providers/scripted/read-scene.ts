import { userText } from "../../transcript/message.js";
import type { ProviderRequest } from "../provider.js";
import { parseJson } from "../../values/parse-json.js";

/** What the rules and placeholders of a script can see of a request. */
export interface Scene {
  /** Text of the last user message; empty when there is none. */
  user: string;
  turn: number;
  attempt: number;
  system: string | undefined;
  tools: readonly string[];
  /** The last tool result as the model received it; null before the first. */
  lastToolResult: { text: string; value: unknown } | null;
  /** Of the last tool call; undefined before the first. */
  args: unknown;
}

export function readScene(request: ProviderRequest): Scene {
  const { messages, origin } = request;
  const user = messages.findLast((message) => message.role === "user");
  const result = messages.findLast((message) => message.role === "tool");
  const caller = messages.findLast((message) => message.role === "assistant" && message.toolCalls.length > 0);
  return {
    user: user === undefined ? "" : userText(user),
    turn: origin.turn,
    attempt: origin.attempt ?? 1,
    system: request.system,
    tools: request.tools.map((tool) => tool.name),
    lastToolResult: result === undefined ? null : { text: result.content, value: parsed(result.content) },
    args: caller?.role === "assistant" ? caller.toolCalls.at(-1)?.args : undefined,
  };
}

/** Data where the text is JSON, else the text. */
function parsed(text: string): unknown {
  const value = parseJson(text);
  return value.success ? value.data : text;
}

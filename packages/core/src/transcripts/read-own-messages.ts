import { failure, success, type Result } from "../result.js";
import type { Message, RequestedToolCall } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";
import { userContentOf } from "./content-parts.js";
import { createMessageList, type MessageList } from "./message-list.js";

type Written = Record<string, unknown>;

/** Messages as `trial.messages` of KindLM has them. The error says what is wrong, going on after the place. */
export function readOwnMessages(written: readonly unknown[]): Result<readonly Message[], string> {
  const list = createMessageList();
  for (const [index, message] of written.entries()) {
    const problem = isRecord(message) ? addMessage(list, message) : "is no object";
    if (problem !== null) return failure(`messages[${index}] ${problem}`);
  }
  return success(list.messages);
}

function addMessage(list: MessageList, message: Written): string | null {
  const { role, content } = message;
  switch (role) {
    case "system":
      list.system(textOf(content));
      return null;
    case "user": {
      const said = userContentOf(content);
      if (said === null) return "has a content that is neither a text nor a list of parts";
      list.user(said, message["isNudge"] === true);
      return null;
    }
    case "assistant": {
      const calls: RequestedToolCall[] = [];
      for (const call of Array.isArray(message["toolCalls"]) ? (message["toolCalls"] as readonly unknown[]) : []) {
        if (!isRecord(call) || typeof call["tool"] !== "string") return "has a tool call without its tool";
        const { id, tool, args, malformed } = call;
        const own = { id: textOf(id), tool, args: args ?? (malformed === undefined ? {} : undefined) };
        calls.push(
          isRecord(malformed)
            ? { ...own, malformed: { raw: textOf(malformed["raw"]), reason: textOf(malformed["reason"]) } }
            : own,
        );
      }
      list.assistant(textOf(message["text"]), calls);
      return null;
    }
    case "tool": {
      const callId = textOf(message["callId"]);
      const isKnown = list.result(callId, textOf(content), message["isError"] === true);
      return isKnown ? null : `answers the call ${JSON.stringify(callId)}, which nobody made before it`;
    }
    default:
      return `has the role ${JSON.stringify(role)}; expected system, user, assistant or tool`;
  }
}

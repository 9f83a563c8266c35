import type { Message, RequestedToolCall } from "../transcript/message.js";
import { canonicalJson } from "../values/canonical-json.js";

/**
 * The messages of a request that the conversation does not have yet. A request repeats what was said before it, all of it
 * or a part. `ids` takes in the ids of calls, which some exporters leave out of the answer.
 */
export function newMessages(
  conversation: readonly Message[],
  request: readonly Message[],
  ids: Map<string, string>,
): { added: readonly Message[]; isContinued: boolean } {
  let at = 0;
  let isContinued = false;
  const added: Message[] = [];
  for (const message of request) {
    const said = saidIn(message, ids);
    const found = conversation.findIndex((one, index) => index >= at && saidIn(one, ids) === said);
    const known = conversation[found];
    if (known === undefined) {
      added.push(message);
      continue;
    }
    at = found + 1;
    isContinued = true;
    if (known.role !== "assistant" || message.role !== "assistant") continue;
    message.toolCalls.forEach(({ id }, index) => ids.set(id, known.toolCalls[index]?.id ?? id));
  }
  return { added, isContinued };
}

/** What is the same in a message however often it is sent. */
function saidIn(message: Message, ids: ReadonlyMap<string, string>): string {
  switch (message.role) {
    case "assistant":
      return canonicalJson(["assistant", message.text, message.toolCalls.map(calledIn)]);
    case "tool":
      return canonicalJson(["tool", ids.get(message.callId) ?? message.callId]);
    default:
      return canonicalJson([message.role, message.content]);
  }
}

function calledIn({ tool, args, malformed }: RequestedToolCall): readonly unknown[] {
  return [tool, malformed?.raw ?? args ?? null];
}

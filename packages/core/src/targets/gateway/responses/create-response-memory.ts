import { failure, success, type Result } from "../../../result.js";
import type { ResponsesItem, ResponsesRequest } from "./responses-request-schema.js";

/** What the API of OpenAI keeps for its callers, who name it instead of sending it again. */
export interface ResponseMemory {
  /** The whole conversation that a request continues. Fails with the id that is not known. */
  conversationOf(request: ResponsesRequest): Result<readonly ResponsesItem[], string>;
  /** `output` are the items of the answer, by their ids. */
  keep(id: string, conversation: readonly ResponsesItem[], output: ReadonlyMap<string, ResponsesItem>): void;
}

export function createResponseMemory(): ResponseMemory {
  const items = new Map<string, ResponsesItem>();
  const conversations = new Map<string, readonly ResponsesItem[]>();
  return {
    conversationOf({ input, previous_response_id: previous }) {
      const before = typeof previous === "string" ? conversations.get(previous) : [];
      if (before === undefined) return failure(String(previous));
      if (typeof input === "string") return success([...before, { role: "user", content: input }]);
      const conversation = [...before];
      for (const item of input) {
        const isReference = "type" in item && item.type === "item_reference";
        const meant = isReference ? items.get(item.id) : item;
        if (meant === undefined) return failure(isReference ? item.id : "");
        conversation.push(meant);
      }
      return success(conversation);
    },
    keep(id, conversation, output) {
      for (const [itemId, item] of output) items.set(itemId, item);
      conversations.set(id, [...conversation, ...output.values()]);
    },
  };
}

import { failure, success, type Result } from "../result.js";
import type { Message } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";
import { addMessage } from "./add-message.js";
import { addItem } from "./add-item.js";
import { createMessageList, type MessageList } from "./message-list.js";
import { unwrapMessage } from "./unwrap-message.js";

/** A message that a line has, and where, such as `messages[0]`. */
export interface PlacedMessage {
  value: unknown;
  path: string;
}

/**
 * Reads a conversation, whoever's form it has; the system prompt that begins it is left out. Forms are told for each
 * message, so that one which is of another form than the rest is read as well. The error says what is wrong and where.
 */
export function readMessages(written: readonly PlacedMessage[]): Result<readonly Message[], string> {
  const list = createMessageList();
  const isItems = written.some(({ value }) => isRecord(value) && isItem(value));
  const ids = new Set<string>();
  for (const { value, path } of written) {
    const problem = addOne(list, value, isItems, ids);
    if (problem !== null) return failure(`${path}${problem}`);
  }
  return success(list.messages);
}

/** Items of the Responses API have types; what the model gives between two inputs is one answer. */
function isItem(value: Record<string, unknown>): boolean {
  if (typeof value["type"] === "string") return value["type"] === "message" || unwrapMessage(value) === null;
  const content: readonly unknown[] = Array.isArray(value["content"]) ? value["content"] : [];
  return content.some((part) => isRecord(part) && /^(?:in|out)put_/.test(textOf(part["type"])));
}

function addOne(list: MessageList, value: unknown, isItems: boolean, ids: Set<string>): string | null {
  if (!isRecord(value)) return " is not an object";
  const unwrapped = unwrapMessage(value);
  const problem = unwrapped === null ? addItem(list, value, ids) : addMessage(list, unwrapped, isItems);
  if (typeof value["id"] === "string") ids.add(value["id"]);
  return problem;
}

import { described, list, named, textOr, union } from "../shape/compound.js";
import { internal, kept, reportedAs } from "../shape/field.js";
import { record } from "../shape/record.js";
import { anything, flag, literal, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import type { JsonObject } from "../values/json.js";
import { exactIntegersShape } from "./exact-integers-shape.js";

const imageSourceShape = union("kind", {
  url: record({ kind: literal("url"), url: text }),
  base64: record({ kind: literal("base64"), mediaType: text, data: text }),
});
export type ImageSource = Static<typeof imageSourceShape>;

const contentPartShape = union("type", {
  text: record({ type: literal("text"), text }),
  image: record({ type: literal("image"), source: imageSourceShape }),
});
/** A piece of a user message. */
export type ContentPart = Static<typeof contentPartShape>;

const userMessageShape = record(
  { role: literal("user"), content: textOr(list(contentPartShape)) },
  {
    /** KindLM wrote it in the course of a user turn, and no user did; the agent cannot see the difference. */
    isNudge: reportedAs("nudge", described("KindLM wrote it to keep the agent going", literal(true))),
  },
);
export type UserMessage = Static<typeof userMessageShape>;

const requestedToolCallShape = record(
  {
    id: text,
    tool: text,
    /** The parsed arguments; undefined when they are not JSON. */
    args: anything,
  },
  {
    /** Every digit of the integers in `args` that a number cannot hold, by JSON Pointer; absent if there are none. */
    exactIntegers: exactIntegersShape,
    /** Set when the arguments are not JSON: the raw text, and why it does not parse. */
    malformed: record({ raw: text, reason: text }),
  },
);
/** A tool call as the model asked for it. */
export type RequestedToolCall = Static<typeof requestedToolCallShape>;

/** The agent that a part of a conversation is of, where the target names it. */
export const agentNameShape = described("Name of the agent that made it; absent if the target names none", text);

const assistantMessageShape = record(
  { role: literal("assistant"), text, toolCalls: list(requestedToolCallShape) },
  {
    agent: agentNameShape,
    /** What the adapter that produced the message needs to send it back unchanged; opaque to everyone else. */
    providerData: internal(anything),
  },
);
export type AssistantMessage = Static<typeof assistantMessageShape>;

const toolMessageShape = record({
  role: literal("tool"),
  callId: text,
  tool: text,
  /** What the model receives, already rendered. */
  content: text,
  isError: flag,
});
export type ToolMessage = Static<typeof toolMessageShape>;

/** What the published schema says of a message. */
export const messageSchema = (): JsonObject => messageShape.schema();

const messageShape = union("role", {
  system: record({ role: literal("system"), content: text }),
  user: userMessageShape,
  assistant: assistantMessageShape,
  tool: toolMessageShape,
});
/** A conversation, in reports that show conversations. */
export const messagesShape = kept(list(named("message", messageShape)), (_, view) => view.messages);

/** One message of a conversation, in no provider's format. The system prompt stands apart from the messages. */
export type Message = Static<typeof messageShape>;

/** True for what a user said: such a message begins a user turn. */
export function startsUserTurn(message: Message): boolean {
  return message.role === "user" && message.isNudge !== true;
}

/** The message as an agent may see it. */
export function withoutMark({ isNudge: _isNudge, ...message }: UserMessage): UserMessage {
  return message;
}

/** The text of a user message, its images left out. */
export function userText(message: UserMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

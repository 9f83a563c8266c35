import type { ExactIntegers } from "../values/exact-integers.js";

/** A piece of a user message. */
export type ContentPart = { type: "text"; text: string } | { type: "image"; source: ImageSource };

export type ImageSource = { kind: "url"; url: string } | { kind: "base64"; mediaType: string; data: string };

export interface UserMessage {
  role: "user";
  content: string | readonly ContentPart[];
  /** KindLM wrote it in the course of a user turn, and no user did; the agent cannot tell the difference. */
  isNudge?: true;
}

export interface AssistantMessage {
  role: "assistant";
  text: string;
  toolCalls: readonly RequestedToolCall[];
  /** What the adapter that produced the message needs to send it back unchanged; opaque to everyone else. */
  providerData?: unknown;
}

export interface ToolMessage {
  role: "tool";
  callId: string;
  tool: string;
  /** What the model is told, already rendered. */
  content: string;
  isError: boolean;
}

export interface SystemMessage {
  role: "system";
  content: string;
}

/** One message of a conversation, in no provider's format. The system prompt stands apart from the messages. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A tool call as the model asked for it. */
export interface RequestedToolCall {
  id: string;
  tool: string;
  /** The parsed arguments; undefined when they are not JSON. */
  args: unknown;
  /** Every digit of the integers in `args` that a number cannot hold, by JSON Pointer; absent if there are none. */
  exactIntegers?: ExactIntegers;
  /** Set when the arguments are not JSON: the raw text, and why it does not parse. */
  malformed?: { raw: string; reason: string };
}

/** True for what a user said: such a message begins a user turn. */
export function startsUserTurn(message: Message): boolean {
  return message.role === "user" && message.isNudge !== true;
}

/** The message as an agent may see it. */
export function withoutMark<M extends Message>(message: M): M {
  if (message.role !== "user" || message.isNudge === undefined) return message;
  const { isNudge: _isNudge, ...rest } = message;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a key that may be missing is taken away
  return rest as M;
}

/** The text of a user message, its images left out. */
export function userText(message: UserMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

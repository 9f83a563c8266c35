import type { ContentPart, RequestedToolCall } from "../transcript/message.js";

/** Which call a result answers. What a form does not say is null. */
export interface CallReference {
  id: string | null;
  tool: string | null;
}

export interface ToldResult {
  of: CallReference;
  content: string;
  isError: boolean;
}

/** What a part of a message says, in no provider's form. */
export type Piece =
  | { kind: "text"; text: string }
  | { kind: "image"; image: ContentPart }
  | { kind: "call"; call: RequestedToolCall }
  | { kind: "result"; result: ToldResult }
  /** The model was asked again: what follows is another answer. */
  | { kind: "step" }
  /** Says nothing and does nothing, such as reasoning. */
  | { kind: "silent" };

/** The pieces of a part, or why it cannot be used: `path` is the place inside of it, `problem` goes on after that. */
export type ReadPieces = { pieces: readonly Piece[] } | { path: string; problem: string };

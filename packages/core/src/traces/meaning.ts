import type { LineProblem } from "../transcript-import/line-problem.js";
import type { Message } from "../transcript/message.js";
import type { Usage } from "../transcript/usage.js";

/** A request to a model, as a span tells it. */
export interface ModelCall {
  kind: "model";
  input: readonly Message[];
  output: readonly Message[];
  model: string | null;
  /** As the exporter wrote it. */
  finishReason: string | null;
  usage: Usage | null;
  costUsd: number | null;
  agent: string | null;
}

/** A tool that ran. */
export interface ToolRun {
  kind: "tool";
  tool: string;
  /** Null if the exporter does not record which call of the model it answers. */
  callId: string | null;
  args: unknown;
  /** What it returned, as the model receives it; null if that is not recorded. */
  content: string | null;
  agent: string | null;
}

/** What a span says about a conversation. */
export type Meaning =
  | ModelCall
  | ToolRun
  | { kind: "agent"; agent: string }
  /** One agent gives the conversation to another. */
  | { kind: "handoff" }
  /** A part of the program that neither calls a model nor runs a tool. */
  | { kind: "other" };

/** A span that cannot be read as what it is. */
export interface Unreadable {
  kind: "unreadable";
  problems: readonly LineProblem[];
}

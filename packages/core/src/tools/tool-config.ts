import type { JsonObject, JsonValue } from "../values/json.js";
import type { ToolErrorType } from "../transcript/tool-failure.js";
import type { Matcher } from "../matchers/matcher.js";
import type { ToolAttributes } from "./tool-runtime.js";

/** How a tool error is told to the model. */
export const toolErrorStyles = ["envelope", "plain", "none"] as const;
export type ToolErrorStyle = (typeof toolErrorStyles)[number];

/** An error that a simulated tool answers with. */
export interface SimulatedError {
  type: ToolErrorType;
  message: string;
  /** Default: by type. */
  retryable?: boolean;
  recommendations?: readonly string[];
}

/** What a simulated tool answers; strings in it may hold `{{args.x}}`. */
export type SimulatedAnswer = { return: JsonValue } | { error: SimulatedError };

export interface SimulatedResponse {
  /** Must match the arguments; null matches always. */
  when: Matcher | null;
  /** Set instead of `when` until its placeholders are filled in for a case. */
  whenTemplate?: unknown;
  /** How often it may be used; null for ever. */
  times: number | null;
  /** Used for the n-th call of the tool only, from 1; null for any. */
  call: number | null;
  /** Waits before it answers. */
  delayMs: number;
  answer: SimulatedAnswer;
}

/** A tool whose answers are written in the config. */
export interface SimulatedToolConfig {
  kind: "simulated";
  name: string;
  description?: string;
  parameters: JsonObject;
  attributes: ToolAttributes;
  recommendations: Partial<Record<ToolErrorType, readonly string[]>>;
  responses: readonly SimulatedResponse[];
  /** Answers when no response matches; null makes that a logical error for the model. */
  default: SimulatedAnswer | null;
  timeoutMs: number | null;
}

/** A tool of a test. Other kinds join this union. */
export type ToolConfig = SimulatedToolConfig;

/** `recommendations:` of a test or suite: the built-in list, or rules of tool glob × error type. */
export type RecommendationRules =
  | "builtin"
  | readonly { tool: string; error_type?: ToolErrorType; recommendations: readonly string[] }[];

import type { JsonObject, JsonValue } from "../values/json.js";
import type { ToolErrorType } from "../transcript/tool-failure.js";
import type { Matcher } from "../matchers/matcher.js";
import type { ToolAttributes } from "./tool-runtime.js";

/** How a tool error is told to the model. */
export const toolErrorStyles = ["envelope", "plain", "none"] as const;
export type ToolErrorStyle = (typeof toolErrorStyles)[number];

/** An error that is written in the config. */
export interface WrittenToolError {
  type: ToolErrorType;
  message: string;
  /** Default: by type. */
  retryable?: boolean;
  recommendations?: readonly string[];
}

/** What a tool answers, as the config has it; strings in it may hold `{{args.x}}` and `{{state.x}}`. */
export type ToolAnswer = { return: JsonValue } | { error: WrittenToolError };

/** One answer of a simulated tool, with what comes before it. */
export interface SimulatedReply {
  /** Waits first. */
  delayMs: number;
  /** Then changes the state: by path, whose steps may hold placeholders as the values may. */
  set: readonly { steps: readonly string[]; value: JsonValue }[];
  /** Then answers, or never does. */
  answer: ToolAnswer | "hang";
}

/** A condition on the state: the value at a path. `matcher` is null where the source holds placeholders. */
export interface StateCondition {
  steps: readonly string[];
  matcher: Matcher | null;
  source: unknown;
}

export interface SimulatedResponse {
  /** Must match the arguments; null matches always. */
  when: Matcher | null;
  /** Set instead of `when` while it holds placeholders: those of the case, and those of the state call by call. */
  whenTemplate?: unknown;
  /** All must hold. */
  state: readonly StateCondition[];
  /** How often it may be used; null for ever. */
  times: number | null;
  /** Used for the n-th call of the tool only, from 1; null for any. */
  call: number | null;
  /** Used one after the other, the last one again and again. Never empty. */
  replies: readonly SimulatedReply[];
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
  default: readonly SimulatedReply[] | null;
  timeoutMs: number | null;
}

/** A tool of a test. Other kinds join this union. */
export type ToolConfig = SimulatedToolConfig;

/** `recommendations:` of a test or suite: the built-in list, or rules of tool glob × error type. */
export type RecommendationRules =
  | "builtin"
  | readonly { tool: string; error_type?: ToolErrorType; recommendations: readonly string[] }[];

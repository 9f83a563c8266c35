import type { JsonObject, JsonValue } from "../values/json.js";
import type { ToolErrorType } from "../transcript/tool-failure.js";
import type { Matcher } from "../matchers/matcher.js";
import type { AnswerScope, ToolHandler } from "./tool-handler.js";
import type { ToolAttributes } from "./tool-runtime.js";

/** How a tool error is passed to the model. */
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
  /** How often it may be used; null for unlimited. */
  times: number | null;
  /** Used for the n-th call of the tool only, from 1; null for any. */
  call: number | null;
  /** Used one after the other, the last one again and again. Never empty. */
  replies: readonly SimulatedReply[];
}

/** What is known of every tool, wherever it comes from. */
export interface ToolSettings {
  name: string;
  description?: string;
  /** Instructions that follow the description. */
  prompt?: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
  /** JSON Schema of what a successful call returns. */
  resultSchema?: JsonObject;
  attributes: ToolAttributes;
  recommendations: Partial<Record<ToolErrorType, readonly string[]>>;
  /** Null for the deadline of the test, infinity for none but that of the trial. */
  timeoutMs: number | null;
}

/** What answers in place of a real tool that is down. */
export interface ToolFallback {
  /** The errors that it replaces. */
  on: readonly ToolErrorType[];
  /** Whether what the same call returned last in the run comes first. */
  usesLastValue: boolean;
  responses: readonly SimulatedResponse[];
  default: readonly SimulatedReply[] | null;
}

/** What is known of every tool that is not simulated. */
export interface RealToolSettings extends ToolSettings {
  fallback?: ToolFallback;
}

/** A tool whose answers are written in the config. */
export interface SimulatedToolConfig extends ToolSettings {
  kind: "simulated";
  responses: readonly SimulatedResponse[];
  /** Answers when no response matches; null makes that a logical error for the model. */
  default: readonly SimulatedReply[] | null;
}

/** A tool, or a list of them, that a module of the user's exports. What it says of itself is known when it is loaded. */
export interface ModuleToolConfig {
  kind: "module";
  /** Absolute once the config is resolved. */
  file: string;
  exportName: string;
  /** Names the one tool, or picks it from a list; null takes all with their own names. */
  name: string | null;
  /** What the config says in place of the module. */
  overrides: Partial<Omit<RealToolSettings, "name">>;
}

/** A program that is started for each call. */
export interface CommandToolConfig extends RealToolSettings {
  kind: "command";
  command: readonly [string, ...string[]];
  /** Absolute once the config is resolved. */
  cwd: string;
  /** Added to the environment of the run. */
  env: Readonly<Record<string, string>>;
}

export const toolHttpMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type ToolHttpMethod = (typeof toolHttpMethods)[number];

/** An HTTP service. Strings of `url`, `headers` and `body` may hold placeholders over arguments, vars and row. */
export interface HttpToolConfig extends RealToolSettings {
  kind: "http";
  url: string;
  method: ToolHttpMethod;
  headers: Readonly<Record<string, string>>;
  /** Undefined sends the arguments as they are. */
  body?: JsonValue;
  /** Keys into the reply's JSON, such as `data.items.0`; null for the whole. */
  responsePath: string | null;
}

/** Tools that KindLM brings. */
export interface BuiltinToolConfig {
  kind: "builtin";
  /** None for the entry: it may stand for several tools. */
  name: null;
  names: readonly string[];
  /** What the config says in place of the tool. */
  overrides: Partial<Pick<RealToolSettings, "prompt" | "recommendations" | "timeoutMs" | "fallback">>;
}

/** An entry of `tools:`. Other kinds join this union. */
export type ToolConfig =
  | SimulatedToolConfig
  | ModuleToolConfig
  | CommandToolConfig
  | HttpToolConfig
  | BuiltinToolConfig;

/** An entry of `mcp_servers:`; its tools are known when it is asked. */
export interface McpServerConfig {
  name: string;
  connection:
    | {
        kind: "stdio";
        command: readonly [string, ...string[]];
        cwd: string;
        env: Readonly<Record<string, string>>;
      }
    | { kind: "http"; url: string; headers: Readonly<Record<string, string>> };
  /** Globs of tool names. */
  include: readonly string[];
  exclude: readonly string[];
  /** How long one server lives: a trial, or the whole run, shared by its trials. */
  per: "run" | "trial";
  /** Of each of its calls; null for the deadline of the test. */
  timeoutMs: number | null;
  /** By name or glob of the tool; the first that fits counts. */
  fallbacks: readonly { tool: string; fallback: ToolFallback }[];
}

/** A tool whose source is open, so that it can be called. */
export interface OpenTool extends RealToolSettings {
  kind: "open";
  /** The same arguments mean another thing in another case, because its settings name vars or columns. */
  isOfCase?: true;
  /** All that it does is in the trial and gone with it, so it is never recorded or replayed, and may be run again. */
  isOfTrial?: true;
  /** Makes what answers the calls of one trial. */
  createHandler(scope: AnswerScope): ToolHandler;
}

/** What a trial calls. */
export type RunnableTool = SimulatedToolConfig | OpenTool;

/** `recommendations:` of a test or suite: the built-in list, or rules of tool glob × error type. */
export type RecommendationRules =
  | "builtin"
  | readonly { tool: string; error_type?: ToolErrorType; recommendations: readonly string[] }[];

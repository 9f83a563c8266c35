import type { ToolDefinition } from "../../providers/provider.js";
import type { ToolFailure } from "../../transcript/tool-failure.js";
import type { Message, UserMessage } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";

/** The outcome of a call of a tool of the test. `content` is what a model should receive. */
export type AgentToolOutcome =
  | { ok: true; value: unknown; content: string }
  | { ok: false; error: ToolFailure; content: string };

/** What a user's agent receives in addition to the user's message. */
export interface AgentContext<Options = unknown> {
  /** The value of `with` in the config. */
  options: Options;
  /** The message as a whole, images included; null when the agent is to go on from its history. */
  message: UserMessage | null;
  /** What was said before this message, in this trial and in the test's own history. */
  history: readonly Message[];
  system: string | null;
  /** From 1: which message to the agent it is; nudges count, since they read like messages of the user. */
  userTurn: number;
  /** The same object for all messages of a trial; for what the agent wants to remember. */
  state: Record<string, unknown>;
  /** The tools of the test. A tool that fails is an outcome, never a throw. */
  tools: {
    definitions: readonly ToolDefinition[];
    call(tool: string, args?: unknown): Promise<AgentToolOutcome>;
  };
  /** Absolute path of the folder of the trial; null without a workspace. */
  workspace: string | null;
  /** Where an OpenAI client finds the models of the test; null without `proxy: true`. */
  openai: { baseURL: string; apiKey: string } | null;
  /** The same for a client of Anthropic's. */
  anthropic: { baseURL: string; apiKey: string } | null;
  /** The same for a client of Google's Gemini API. */
  gemini: { baseUrl: string; apiKey: string } | null;
  /** With `traces`: the trace to continue, and where an exporter of OTLP sends its spans. Null without it. */
  trace: { traceparent: string; endpoint: string } | null;
  /** Aborts when the trial is over. An agent that ignores it is left behind. */
  signal: AbortSignal;
}

/** An answer with what is known of how it came about. */
export interface AgentAnswer {
  text: string;
  /** Calls of tools that the agent ran itself. */
  toolCalls?: readonly { tool: string; args?: unknown; result?: unknown; error?: string; agent?: string }[];
  usage?: Usage;
  /** US dollars. */
  costUsd?: number;
  model?: string;
  finishReason?: string;
  /** The agent that answered, by name, if there are several. */
  agent?: string;
}

/** An agent of one's own. */
export type AgentRun<Options = unknown> = (
  input: string,
  context: AgentContext<Options>,
) => string | AgentAnswer | Promise<string | AgentAnswer>;

/**
 * Declares an agent for `target: { module: "./agent.ts#run" }`; it gives the function its types and nothing else.
 *
 * An agent that throws makes the trial errored with a TARGET_ERROR, which counts as not passed.
 */
export function defineAgent<Options = unknown>(run: AgentRun<Options>): AgentRun<Options> {
  return run;
}

import type { ExactIntegers } from "../values/exact-integers.js";
import type { FiredFault } from "./fired-fault.js";
import type { ResumedCall } from "./resumed-call.js";
import type { HookDecision } from "./hook-decision.js";
import type { Message } from "./message.js";
import type { ConversationEnd } from "./simulated-user.js";
import type { StateChange } from "./state-change.js";
import type { ToolEvent } from "./tool-event.js";
import type { ToolFailure } from "./tool-failure.js";
import type { UsedFallback } from "./used-fallback.js";
import type { Usage } from "./usage.js";

/** A tool call as assertions see it. */
export interface TrialToolCall {
  tool: string;
  args: unknown;
  /** Every digit of the integers in `args` that a number cannot hold, by JSON Pointer; absent if there are none. */
  exactIntegers?: ExactIntegers;
  /** What the tool returned; absent when it failed. */
  result?: unknown;
  error?: ToolFailure;
  /** What the tool emitted with `ctx.emit`, in its order; absent when it emitted nothing. */
  events?: readonly ToolEvent[];
  /** Which request to the model asked for it, from 1 within the trial; calls of one turn are parallel. */
  turn?: number;
  /** Which user message it belongs to, from 1. */
  userTurn?: number;
  durationMs?: number;
  /** Set if the agent ran its own tool, and reported it. */
  ranBy?: "agent";
  /** What it changed in the state of the trial. */
  stateChanges?: readonly StateChange[];
  /** The fault that it met. */
  fault?: FiredFault;
  /** The try of its user turn that it belongs to, where the answer was rejected and the conversation rolled back. */
  rejectedTry?: number;
  /** What answered in place of the tool; absent when the tool did. */
  fallback?: UsedFallback;
  /** What a plugin made of it; absent when none had a say. */
  hook?: HookDecision;
  /** Set when it was made before the run was cut off, and not again. */
  resumed?: ResumedCall;
}

/**
 * What assertions are evaluated on. Every field is optional, so that a conversation recorded elsewhere can be scored
 * with no more than its assertions read; an assertion that misses its field is an ASSERTION_EVAL_ERROR.
 */
export interface Trial {
  /** The final answer. */
  output?: string;
  toolCalls?: readonly TrialToolCall[];
  messages?: readonly Message[];
  /** Requests made to the model. */
  turns?: number;
  /** Time spent waiting for the provider, milliseconds. */
  latencyMs?: number;
  /** US dollars; null when a price is unknown. */
  costUsd?: number | null;
  usage?: Usage | null;
  /** The unified finish reason of the last turn. */
  finishReason?: string;
  /** The models that answered, each once, as their providers name them. */
  servedBy?: readonly string[];
  /** Of the program under test, for its last answer. */
  exitCode?: number;
  /** What the program under test wrote to stdout for its last answer. */
  stdout?: string;
  /** The fault of the case if each fault has its own case; null otherwise. */
  fault?: string | null;
  /** Why the conversation with a simulated user ended. */
  stoppedBy?: ConversationEnd;
  /** The same trial cut to each of its user messages, for `user_turn` and per-turn assertions. */
  userTurns?: readonly Trial[];
}

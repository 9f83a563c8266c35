import { described, lazy, list, named } from "../shape/compound.js";
import { internal, orNull, timing } from "../shape/field.js";
import { record } from "../shape/record.js";
import { anything, count, literal, number, text } from "../shape/scalars.js";
import type { Shape, Static } from "../shape/shape.js";
import { ownDelegationShape } from "./delegation.js";
import { exactIntegersShape } from "./exact-integers-shape.js";
import { firedFaultShape } from "./fired-fault.js";
import { hookDecisionShape } from "./hook-decision.js";
import { agentNameShape, type Message } from "./message.js";
import { permissionDecisionShape } from "./permission-decision.js";
import { resumedCallShape } from "./resumed-call.js";
import type { ConversationEnd } from "./simulated-user.js";
import { stateChangeShape } from "./state-change.js";
import { toolEventShape } from "./tool-event.js";
import { toolFailureShape } from "./tool-failure.js";
import { rejectedTryShape } from "./turn.js";
import { usedFallbackShape } from "./used-fallback.js";
import type { WorkspaceRecord } from "./workspace-record.js";
import type { Usage } from "./usage.js";

const callFields = {
  always: {
    tool: text,
    args: anything,
    /** What the tool returned; absent when it failed. */
    result: orNull(anything),
    error: orNull(toolFailureShape),
    durationMs: orNull(timing),
  },
  sometimes: {
    /** When it began, milliseconds since the epoch; absent if that is not known. */
    startedAt: internal(number),
    /** What the tool emitted with `ctx.emit`, in its order; absent when it emitted nothing. */
    events: described("What the tool emitted", list(toolEventShape)),
    /** Every digit of the integers in `args` that a number cannot hold, by JSON Pointer; absent if there are none. */
    exactIntegers: described(
      "Every digit of the integers in args that a number cannot hold, by JSON Pointer",
      exactIntegersShape,
    ),
    /** Which request to the model asked for it, from 1 within the trial; calls of one turn are parallel. */
    turn: internal(count),
    /** Which user message it belongs to, from 1. */
    userTurn: internal(count),
    agent: agentNameShape,
    /** Set if the agent ran its own tool, and reported it. */
    ranBy: described("Set if the agent ran its own tool", literal("agent")),
    /** What it changed in the state of the trial. */
    stateChanges: described("What the call changed in the state of the trial", list(stateChangeShape)),
    /** The try of its user turn that it belongs to, where the answer was rejected and the conversation rolled back. */
    rejectedTry: rejectedTryShape,
    /** The fault that it met. */
    fault: described("The fault that the call met", firedFaultShape),
    /** What answered in place of the tool; absent when the tool did. */
    fallback: described("What answered in place of the tool, and why", usedFallbackShape),
    /** Set when it was made before the interruption, and not repeated. */
    resumed: described("It was made before the interruption, and not repeated", resumedCallShape),
    /** What a plugin made of it; absent if no plugin changed the call. */
    hook: described("What a plugin made of the call; its outcome is then not the tool's own", hookDecisionShape),
    /** Whether it was permitted; absent if the mode `auto` let it through. */
    permission: described(
      "Whether the call was permitted; absent if the mode auto let it through",
      permissionDecisionShape,
    ),
  },
};

const ownCallShape = record(callFields.always, callFields.sometimes);

/** A tool call as assertions see it. */
export interface TrialToolCall extends Static<typeof ownCallShape> {
  /** The conversation with the sub-agent that it began. */
  delegation?: Delegation;
  /** Set on what assertions see of the calls of a sub-agent: the templates from the agent under test down to its own. */
  delegates?: readonly string[];
  /** Next to `delegates`: its place among the turns, between that of the call that began the delegation and the next one. */
  step?: number;
}

/** A conversation with a sub-agent. */
export interface Delegation extends Static<typeof ownDelegationShape> {
  toolCalls: readonly TrialToolCall[];
}

const delegationShape: Shape<Delegation> = record(
  { ...ownDelegationShape.always, toolCalls: list(lazy("toolCall", (): Shape<TrialToolCall> => wholeCallShape)) },
  ownDelegationShape.sometimes,
);

const wholeCallShape: Shape<TrialToolCall> = record(callFields.always, {
  ...callFields.sometimes,
  delegation: described("The conversation with the sub-agent that the call began", delegationShape),
});

export const toolCallShape: Shape<TrialToolCall> = named("toolCall", wholeCallShape);

/** What the published schema says of a tool call. */
export const toolCallSchema = () => wholeCallShape.schema();

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
  /** What became of its folder; absent if it had none. */
  workspace?: WorkspaceRecord;
  /** Why the conversation with a simulated user ended. */
  stoppedBy?: ConversationEnd;
  /** The same trial cut to each of its user messages, for `user_turn` and per-turn assertions. */
  userTurns?: readonly Trial[];
}

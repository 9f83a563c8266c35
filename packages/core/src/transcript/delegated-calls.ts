import type { TrialToolCall } from "./trial.js";
import type { TurnRecord } from "./turn.js";

interface Conversation {
  readonly turns: readonly TurnRecord[];
  readonly toolCalls: readonly TrialToolCall[];
}

/** The turns of a conversation, and of those with sub-agents that it began. */
export function everyTurn({ turns, toolCalls }: Conversation): readonly TurnRecord[] {
  const delegations = delegationsOf(toolCalls);
  return delegations.length === 0 ? turns : [...turns, ...delegations.flatMap(everyTurn)];
}

/** The calls, and those of the sub-agents that they began. */
export function everyCall(calls: readonly TrialToolCall[]): readonly TrialToolCall[] {
  if (delegationsOf(calls).length === 0) return calls;
  return calls.flatMap((call) => [call, ...everyCall(call.delegation?.toolCalls ?? [])]);
}

const none: readonly Conversation[] = [];

function delegationsOf(calls: readonly TrialToolCall[]): readonly Conversation[] {
  return calls.length === 0 ? none : calls.flatMap(({ delegation }) => delegation ?? []);
}

/** More calls than a trial can have; a step is a fraction of it. */
const mostSteps = 1_000_000;

/**
 * The calls as assertions see them: what a sub-agent calls, the agent calls. Otherwise, an agent could have done by
 * others what it must not do. Each call follows the one that delegated it, with the turn of that.
 */
export function withDelegatedCalls(calls: readonly TrialToolCall[]): readonly TrialToolCall[] {
  if (calls.every(({ delegation }) => delegation === undefined)) return calls;
  const steps = new Map<number | undefined, number>();
  return calls.flatMap((call) => [call, ...delegatedBy(call, call, [], steps)]);
}

function delegatedBy(
  { delegation }: TrialToolCall,
  { turn, userTurn, rejectedTry }: TrialToolCall,
  above: readonly string[],
  steps: Map<number | undefined, number>,
): readonly TrialToolCall[] {
  if (delegation === undefined) return [];
  const delegates = [...above, delegation.template];
  const first = {
    ...(turn === undefined ? {} : { turn }),
    ...(userTurn === undefined ? {} : { userTurn }),
    ...(rejectedTry === undefined ? {} : { rejectedTry }),
  };
  let last: number | undefined;
  return delegation.toolCalls.flatMap((call) => {
    // The calls of one turn of the sub-agent have one step.
    if (call.turn === undefined || call.turn !== last) steps.set(turn, (steps.get(turn) ?? 0) + 1);
    last = call.turn;
    const step = turn === undefined ? {} : { step: turn + (steps.get(turn) ?? 0) / mostSteps };
    const { turn: _turn, userTurn: _userTurn, ...own } = call;
    return [{ ...own, ...first, ...step, delegates }, ...delegatedBy(call, { ...own, ...first }, delegates, steps)];
  });
}

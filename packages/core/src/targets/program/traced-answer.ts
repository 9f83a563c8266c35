import { isDeepStrictEqual } from "node:util";
import type { TracedConversation } from "../../traces/read-conversation.js";
import type { Message } from "../../transcript/message.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { GrowingTranscript } from "../roll-back.js";

/** What an agent did between a message to it and its answer, as a transcript has it. */
export interface TracedAnswer {
  messages: readonly Message[];
  turns: readonly TurnRecord[];
  toolCalls: readonly TrialToolCall[];
}

/** Makes the spans of an answer the continuation of a transcript with this many turns. */
export function tracedAnswer(
  { conversation, turns }: Pick<TracedConversation, "conversation" | "turns">,
  turnsBefore: number,
  userTurn: number,
): TracedAnswer {
  const { messages = [], toolCalls = [] } = conversation?.trial ?? {};
  return {
    messages: continuation(messages.slice(conversation?.historyLength ?? 0)),
    turns: turns.map((turn) => ({ ...turn, turn: turn.turn + turnsBefore, userTurn })),
    toolCalls: toolCalls.map((call) => ({
      ...call,
      turn: (call.turn ?? 1) + turnsBefore,
      userTurn,
      ranBy: "agent" as const,
    })),
  };
}

/** What the user said is known. Other messages that the agent gave its model as those of a user were said by no user. */
function continuation(messages: readonly Message[]): readonly Message[] {
  const start = messages.findIndex(({ role }) => role === "assistant");
  if (start === -1) return [];
  return messages
    .slice(start)
    .filter(({ role }) => role !== "system")
    .map((message) => (message.role === "user" ? { ...message, isNudge: true } : message));
}

/**
 * Adds an answer to a transcript. KindLM knows better what became of calls that it has run itself: they get their turn
 * from the spans, and `add` takes all others.
 */
export function mergeTraced(
  transcript: GrowingTranscript,
  { messages, turns, toolCalls }: TracedAnswer,
  userTurn: number,
  add: (call: TrialToolCall) => void,
): void {
  transcript.messages.push(...messages);
  transcript.turns.push(...turns);
  const isOpen = (one: TrialToolCall): boolean =>
    one.userTurn === userTurn && one.turn === undefined && one.rejectedTry === undefined;
  for (const call of toolCalls) {
    const at = transcript.toolCalls.findIndex(
      (one) => isOpen(one) && one.tool === call.tool && isDeepStrictEqual(one.args ?? {}, call.args ?? {}),
    );
    const [known] = at === -1 ? [] : transcript.toolCalls.splice(at, 1);
    const { turn, agent, delegation } = call;
    if (known === undefined) add(call);
    else transcript.toolCalls.push(Object.assign(known, { turn }, agent && { agent }, delegation && { delegation }));
  }
}

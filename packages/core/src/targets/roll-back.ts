import type { GatewayRecord } from "../transcript/gateway-record.js";
import type { Message } from "../transcript/message.js";
import type { TrialToolCall } from "../transcript/trial.js";
import type { TurnRecord } from "../transcript/turn.js";
import type { Transcript } from "./target.js";

/** How long each part of a transcript was. */
export interface TranscriptMark {
  messages: number;
  turns: number;
  toolCalls: number;
}

/** A transcript as the session that writes it has it. */
export interface GrowingTranscript {
  messages: Message[];
  turns: TurnRecord[];
  toolCalls: TrialToolCall[];
  gateway?: GatewayRecord;
}

export function markOf({ messages, turns, toolCalls }: Transcript): TranscriptMark {
  return { messages: messages.length, turns: turns.length, toolCalls: toolCalls.length };
}

/** Takes out the messages since the mark and marks the turns and tool calls since then with the rejected try. */
export function rollBackTo(
  { messages, turns, toolCalls }: GrowingTranscript,
  mark: TranscriptMark,
  rejectedTry: number,
): readonly Message[] {
  for (const list of [turns.slice(mark.turns), toolCalls.slice(mark.toolCalls)]) {
    for (const record of list) record.rejectedTry = rejectedTry;
  }
  return messages.splice(mark.messages);
}

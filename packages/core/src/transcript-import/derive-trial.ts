import { startsUserTurn, userText, type Message } from "../transcript/message.js";
import type { Trial, TrialToolCall } from "../transcript/trial.js";
import { toolOutcomeOf } from "./tool-outcome.js";

/** What a conversation contains about itself. */
export interface DerivedTrial extends Trial {
  output: string;
  toolCalls: readonly TrialToolCall[];
  messages: readonly Message[];
  turns: number;
}

/** One call in the making, with the messages that contain its outcome. */
interface Placed {
  call: TrialToolCall;
  id: string;
}

/**
 * The trial that a conversation amounts to: its last answer, its tool calls with their results and errors, its turns
 * (each answer of the agent is one) and the same for each message of the user.
 *
 * @param historyLength - how many of the messages were there before the trial began; nothing of them is the agent's doing
 */
export function deriveTrial(messages: readonly Message[], historyLength = 0): DerivedTrial {
  const trial = deriveSlice(messages, historyLength, 0);
  const starts = messages.flatMap((message, index) =>
    index >= historyLength && startsUserTurn(message) ? [index] : [],
  );
  let turnsBefore = deriveSlice(messages.slice(0, starts[0] ?? 0), historyLength, 0).turns;
  trial.userTurns = starts.map((start, position) => {
    const slice = deriveSlice(messages.slice(start, starts[position + 1]), 0, turnsBefore, position);
    turnsBefore += slice.turns;
    return slice;
  });
  return trial;
}

function deriveSlice(
  messages: readonly Message[],
  historyLength: number,
  turnsBefore: number,
  userTurnsBefore = 0,
): DerivedTrial {
  const placed: Placed[] = [];
  const waiting: Placed[] = [];
  let turns = 0;
  let userTurn = userTurnsBefore;
  for (const message of messages.slice(historyLength)) {
    if (startsUserTurn(message)) userTurn += 1;
    if (message.role === "assistant") {
      turns += 1;
      for (const { id, tool, args, malformed } of message.toolCalls) {
        const by = message.agent === undefined ? {} : { agent: message.agent };
        const place = { turn: turnsBefore + turns, userTurn: Math.max(1, userTurn), ...by };
        const one = { id, call: { tool, args: malformed === undefined ? args : malformed.raw, ...place } };
        placed.push(one);
        waiting.push(one);
      }
    }
    if (message.role === "tool") {
      const index = waiting.findIndex(({ id }) => id === message.callId);
      const [answered] = index === -1 ? [] : waiting.splice(index, 1);
      if (answered !== undefined) Object.assign(answered.call, toolOutcomeOf(message.content, message.isError));
    }
  }
  const last = messages.slice(historyLength).findLast((message) => message.role === "assistant");
  return { output: last?.text ?? "", toolCalls: placed.map(({ call }) => call), messages, turns };
}

/** How many of the first messages are the history that the test itself begins with; 0 where it is not there as a whole. */
export function historyLengthIn(messages: readonly Message[], history: readonly Message[]): number {
  const own = history.filter(({ role }) => role !== "system");
  const isThere =
    own.length < messages.length &&
    own.every((message, index) => {
      const other = messages[index];
      return other !== undefined && saidIn(message) === saidIn(other);
    });
  return isThere ? own.length : 0;
}

function saidIn(message: Message): string {
  if (message.role === "user") return `user ${userText(message)}`;
  return message.role === "assistant" ? `assistant ${message.text}` : `${message.role} ${message.content}`;
}

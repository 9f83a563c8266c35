import { didYouMean } from "../values/nearest-name.js";
import type { AssistantMessage, Message } from "./message.js";
import type { Trial, TrialToolCall } from "./trial.js";

/** The agent that made a call, by name: a sub-agent, or the one that the target names. */
function callerOf({ delegates, agent }: Pick<TrialToolCall, "delegates" | "agent">): string | undefined {
  return delegates?.at(-1) ?? agent;
}

/** The names of all agents in a trial, in the order in which they appear. */
export function agentsIn({ messages = [], toolCalls = [] }: Pick<Trial, "messages" | "toolCalls">): readonly string[] {
  const named = answersIn(messages).flatMap(({ agent }) => agent ?? []);
  const called = toolCalls.flatMap((call) => callerOf(call) ?? []);
  const delegated = toolCalls.flatMap(({ delegation }) => delegation?.template ?? []);
  return [...new Set([...named, ...called, ...delegated])];
}

/** One agent gave the conversation to another. */
export interface HandOff {
  from: string;
  to: string;
}

/** The hand-offs of a conversation: places where the next answer is another agent's. Answers without a name are left out. */
export function handOffsIn(messages: readonly Message[]): readonly HandOff[] {
  const names = answersIn(messages).flatMap(({ agent }) => agent ?? []);
  return names.flatMap((to, index) => {
    const from = names[index - 1];
    return from === undefined || from === to ? [] : [{ from, to }];
  });
}

function answersIn(messages: readonly Message[]): readonly AssistantMessage[] {
  return messages.filter((message) => message.role === "assistant");
}

/**
 * What one agent of a trial said and did: its calls, its messages with their results, and its last answer. Time, tokens and
 * cost are those of the whole trial, so the part has none.
 */
export function cutToAgent(trial: Trial, agent: string): Trial {
  const { messages, toolCalls, fault, workspace, stoppedBy } = trial;
  const said = [...messagesOf(messages ?? [], agent), ...delegatedTo(trial, agent)];
  const answers = said.filter((message) => message.role === "assistant");
  const cut: Trial = { output: answers.findLast(({ text }) => text.trim() !== "")?.text ?? "", turns: answers.length };
  if (messages !== undefined) cut.messages = said;
  if (toolCalls !== undefined) cut.toolCalls = toolCalls.filter((call) => callerOf(call) === agent);
  if (fault !== undefined) cut.fault = fault;
  if (workspace !== undefined) cut.workspace = workspace;
  if (stoppedBy !== undefined) cut.stoppedBy = stoppedBy;
  return cut;
}

/** What users said stays: it is what the agent answers. */
function messagesOf(messages: readonly Message[], agent: string): readonly Message[] {
  const own = new Set<string>();
  return messages.filter((message) => {
    if (message.role === "tool") return own.has(message.callId);
    if (message.role !== "assistant") return true;
    if (message.agent !== agent) return false;
    for (const { id } of message.toolCalls) own.add(id);
    return true;
  });
}

function delegatedTo({ toolCalls = [] }: Trial, agent: string): readonly Message[] {
  return toolCalls.flatMap(({ delegation }) => (delegation?.template === agent ? (delegation.messages ?? []) : []));
}

/** Words for an agent that did nothing in a trial: its name may be misspelled. Null if it did something. */
export function describeAbsence(trial: Trial, agent: string): string | null {
  const names = agentsIn(trial);
  if (names.includes(agent)) return null;
  const meant = didYouMean(agent, names);
  return `did nothing (agents: ${names.join(", ")}${meant === undefined ? "" : `. ${meant}`})`;
}

import { deriveTrial } from "../transcript-import/derive-trial.js";
import type { Message } from "../transcript/message.js";
import type { Trial, TrialToolCall } from "../transcript/trial.js";
import { addUsage, type Usage } from "../transcript/usage.js";
import { canonicalJson } from "../values/canonical-json.js";
import { newMessages } from "./align-messages.js";
import type { ModelCall, ToolRun } from "./meaning.js";
import type { Span } from "./span.js";

/** A request to a model or a run of a tool, with the agent that it belongs to. */
export interface Step<M> {
  span: Span;
  meaning: M;
  agent: string | null;
}

/** One conversation of a trace: that of the agent, or that of an agent that a tool asks. */
export interface Scope {
  /** In the order in which they began. */
  models: readonly Step<ModelCall>[];
  tools: readonly Step<ToolRun>[];
}

/** The conversation that a tool had with another agent; null if it had none. */
export type FindDelegation = (tool: Span) => TrialToolCall["delegation"] | null;

/** A conversation as assertions see it, with how many of its messages were there before it began. */
export interface Conversation {
  trial: Trial;
  historyLength: number;
}

/** Puts the requests of a scope together to a conversation. */
export function conversationOf({ models, tools }: Scope, delegationOf: FindDelegation): Conversation {
  const { messages, historyLength, requests } = joined(models);
  const left = new Set(tools);
  const runs = new Map<string, Step<ToolRun>>();
  for (const message of messages.slice(historyLength)) {
    for (const call of message.role === "assistant" ? message.toolCalls : []) {
      const run = runOf(call, left);
      if (run === null) continue;
      left.delete(run);
      runs.set(call.id, run);
    }
  }
  const answered = withResults(messages, runs);
  const derived = deriveTrial(answered, historyLength);
  const order = answered
    .slice(historyLength)
    .flatMap((message) => (message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : []));
  const calls = derived.toolCalls.map((call, index) => {
    const run = runs.get(order[index] ?? "");
    return run === undefined ? call : { ...call, ...timed(run), ...delegated(run, delegationOf) };
  });
  const toolCalls = [...calls, ...[...left].map((run) => unasked(run, models, delegationOf))];
  const userTurns = derived.userTurns?.map((slice, index) => ({
    ...slice,
    toolCalls: toolCalls.filter(({ userTurn = 1 }) => userTurn === index + 1),
  }));
  const trial: Trial = {
    ...derived,
    ...(userTurns === undefined ? {} : { userTurns }),
    toolCalls,
    turns: requests,
    ...figures(models),
  };
  return { trial, historyLength };
}

/** One conversation of all requests. What was there before the first answer is history. */
function joined(models: readonly Step<ModelCall>[]) {
  const messages: Message[] = [];
  const ids = new Map<string, string>();
  let historyLength = 0;
  let requests = 0;
  models.forEach(({ span, agent, meaning: { input, output } }, index) => {
    const asked = index === 0 ? { added: input, isContinued: true } : newMessages(messages, input, ids);
    // What an agent is given that starts from scratch was not said by a user.
    messages.push(...asked.added.map((message) => renamed(message, ids, asked.isContinued)));
    if (index === 0) historyLength = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool") + 1;
    if (output.length > 0) requests += 1;
    // An answer contains the results of tools that the provider ran for it.
    messages.push(...output.map((message) => renamed(saidBy(distinct(message, span, ids), agent), ids, true)));
  });
  return { messages, historyLength, requests };
}

function renamed(message: Message, ids: ReadonlyMap<string, string>, isContinued: boolean): Message {
  if (message.role === "tool") return { ...message, callId: ids.get(message.callId) ?? message.callId };
  return message.role === "user" && !isContinued ? { ...message, isNudge: true } : message;
}

function saidBy(message: Message, agent: string | null): Message {
  return message.role === "assistant" && agent !== null ? { ...message, agent } : message;
}

/** Calls of several requests may have the same ids; what follows of the id is the one that the model gave. */
function distinct(message: Message, { spanId }: Span, ids: Map<string, string>): Message {
  if (message.role !== "assistant") return message;
  const toolCalls = message.toolCalls.map((call, index) => {
    const id = `${spanId}:${index}:${call.id}`;
    ids.set(call.id, id);
    return { ...call, id };
  });
  return { ...message, toolCalls };
}

function runOf(
  { id, tool, args }: { id: string; tool: string; args: unknown },
  left: ReadonlySet<Step<ToolRun>>,
): Step<ToolRun> | null {
  const own = id.split(":").slice(2).join(":");
  const byId = [...left].find(({ meaning }) => meaning.tool === tool && meaning.callId === own);
  if (byId !== undefined) return byId;
  const named = [...left].filter(({ meaning }) => meaning.tool === tool);
  const same = named.find(({ meaning }) => canonicalJson(meaning.args ?? {}) === canonicalJson(args ?? {}));
  return same ?? named[0] ?? null;
}

/** The conversation with the results that no later request repeats, since there was none. */
function withResults(messages: readonly Message[], runs: ReadonlyMap<string, Step<ToolRun>>): readonly Message[] {
  const answered = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.callId] : [])));
  return messages.flatMap((message): readonly Message[] => {
    if (message.role === "tool") {
      const isError = message.isError || (runs.get(message.callId)?.span.error ?? null) !== null;
      return [{ ...message, isError }];
    }
    if (message.role !== "assistant") return [message];
    const results = message.toolCalls.flatMap(({ id, tool }): readonly Message[] => {
      const run = runs.get(id);
      const content = run?.meaning.content ?? run?.span.error ?? null;
      if (run === undefined || content === null || answered.has(id)) return [];
      return [{ role: "tool", callId: id, tool, content, isError: run.span.error !== null }];
    });
    return [message, ...results];
  });
}

function timed({ span }: Step<ToolRun>): Pick<TrialToolCall, "durationMs" | "startedAt"> {
  return { durationMs: Math.max(0, span.endMs - span.startMs), startedAt: span.startMs };
}

function delegated({ span }: Step<ToolRun>, delegationOf: FindDelegation): Pick<TrialToolCall, "delegation"> {
  const delegation = delegationOf(span);
  return delegation === null || delegation === undefined ? {} : { delegation };
}

/** A tool that ran although no answer that is recorded asked for it. */
function unasked(run: Step<ToolRun>, models: readonly Step<ModelCall>[], delegationOf: FindDelegation): TrialToolCall {
  const { tool, args, content } = run.meaning;
  const turn = models.filter(({ span }) => span.startMs <= run.span.startMs).length;
  const said = content ?? run.span.error;
  const message: Message | null =
    said === null ? null : { role: "tool", callId: "1", tool, content: said, isError: run.span.error !== null };
  const asked: Message = { role: "assistant", text: "", toolCalls: [{ id: "1", tool, args: args ?? {} }] };
  const [call] = deriveTrial(message === null ? [asked] : [asked, message]).toolCalls;
  const by = run.agent === null ? {} : { agent: run.agent };
  const own = { ...timed(run), ...delegated(run, delegationOf), ...by, turn: Math.max(1, turn), userTurn: 1 };
  return call === undefined ? { tool, args: args ?? {}, ...own } : { ...call, ...own };
}

/** Time, tokens and cost of all requests; what one of them leaves out is not known. */
function figures(models: readonly Step<ModelCall>[]): Trial {
  const usages = models.flatMap(({ meaning: { usage } }): readonly Usage[] => (usage === null ? [] : [usage]));
  const costs = models.flatMap(({ meaning: { costUsd } }) => costUsd ?? []);
  const [first, ...more] = usages;
  const servedBy = [...new Set(models.flatMap(({ meaning: { model } }) => model ?? []))];
  const finishReason = models.at(-1)?.meaning.finishReason ?? null;
  return {
    latencyMs: models.reduce((sum, { span }) => sum + Math.max(0, span.endMs - span.startMs), 0),
    ...(first === undefined || usages.length < models.length ? {} : { usage: more.reduce(addUsage, first) }),
    ...(costs.length < models.length ? {} : { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
    ...(servedBy.length === 0 ? {} : { servedBy }),
    ...(finishReason === null ? {} : { finishReason: unifiedReasons.get(finishReason.toLowerCase()) ?? finishReason }),
  };
}

/** The names of the reasons that KindLM has. */
const unifiedReasons: ReadonlyMap<string, string> = new Map([
  ["tool-calls", "tool_calls"],
  ["tool_call", "tool_calls"],
  ["tool_use", "tool_calls"],
  ["end_turn", "stop"],
  ["max_tokens", "length"],
  ["content-filter", "content_filter"],
]);

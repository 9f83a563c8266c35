import { createSpanId } from "../targets/traces/traceparent.js";
import { startsUserTurn, type AssistantMessage, type Message, type UserMessage } from "../transcript/message.js";
import type { TrialToolCall } from "../transcript/trial.js";
import type { TurnRecord } from "../transcript/turn.js";
import type { SentAttributes, SentSpan } from "./sent-span.js";

/** What was said and done in a trial, or with a sub-agent. */
export interface SpokenConversation {
  messages: readonly Message[];
  turns: readonly TurnRecord[];
  toolCalls: readonly TrialToolCall[];
}

export interface SpanPlace {
  traceId: string;
  parentId: string;
  startMs: number;
  hasContent: boolean;
}

/** The spans of a conversation: agents, requests to models, and runs of tools. */
export function conversationSpans(conversation: SpokenConversation, place: SpanPlace): readonly SentSpan[] {
  return new ConversationSpans(conversation, place).build();
}

class ConversationSpans {
  readonly #conversation: SpokenConversation;
  readonly #place: SpanPlace;
  readonly #spans: SentSpan[] = [];
  /** Requests and calls that no message has claimed yet, in their order. */
  readonly #turns: TurnRecord[];
  readonly #calls: TrialToolCall[];
  /** The agent that the next spans belong to, if it has a name. */
  #agent: SentSpan | null = null;
  #nowMs: number;

  constructor(conversation: SpokenConversation, place: SpanPlace) {
    this.#conversation = conversation;
    this.#place = place;
    this.#nowMs = place.startMs;
    this.#turns = conversation.turns.filter(
      ({ rejectedTry, aside }) => rejectedTry === undefined && aside === undefined,
    );
    this.#calls = [...conversation.toolCalls];
  }

  build(): readonly SentSpan[] {
    const { messages } = this.#conversation;
    for (let index = this.#start(); index < messages.length; index += 1) {
      const message = messages[index];
      if (message?.role === "assistant") this.#answer(message, messages.slice(0, index), messages.slice(index + 1));
    }
    for (const turn of this.#turns.splice(0)) this.#request(turn, {});
    for (const call of this.#calls.splice(0)) this.#tool(call, undefined, null);
    return this.#spans;
  }

  /** Where the trial begins: what stands before is the history of the test. */
  #start(): number {
    const { messages, turns } = this.#conversation;
    const starts = messages.flatMap((message, index) => (startsUserTurn(message) ? [index] : []));
    const asked = Math.max(1, ...turns.map(({ userTurn }) => userTurn ?? 1));
    return starts.at(-asked) ?? 0;
  }

  #answer(message: AssistantMessage, before: readonly Message[], after: readonly Message[]): void {
    this.#switchTo(message.agent);
    const turn = this.#nextTurn();
    const reason = turn?.finishReason ?? (message.toolCalls.length > 0 ? "tool_calls" : "stop");
    const content = {
      "gen_ai.input.messages": JSON.stringify(before.map(inputMessage)),
      "gen_ai.output.messages": JSON.stringify([outputMessage(message, reason)]),
    };
    this.#request(turn, this.#place.hasContent ? content : {});
    for (const { id, tool } of message.toolCalls) {
      const at = this.#calls.findIndex((call) => call.tool === tool && call.rejectedTry === undefined);
      const [record] = at === -1 ? [] : this.#calls.splice(at, 1);
      const told = after.find((one) => one.role === "tool" && one.callId === id);
      if (record !== undefined) this.#tool(record, id, told?.role === "tool" ? told.content : null);
    }
  }

  /** The request that a message answered; those that failed before it have spans without an answer. */
  #nextTurn(): TurnRecord | null {
    for (;;) {
      const turn = this.#turns.shift();
      if (turn === undefined) return null;
      if (turn.attempts.length === 0 || turn.attempts.at(-1)?.error === null) return turn;
      this.#request(turn, {});
    }
  }

  #switchTo(name: string | undefined): void {
    if (name === undefined || this.#agent?.attributes["gen_ai.agent.name"] === name) return;
    const agent = this.#spanOf(`invoke_agent ${name}`, "internal", this.#nowMs, 0, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": name,
    });
    this.#agent = { ...agent, parentId: this.#place.parentId };
    this.#spans.push(this.#agent);
  }

  #request(turn: TurnRecord | null, content: SentAttributes): void {
    const startMs = Math.max(this.#nowMs, turn?.attempts.at(-1)?.startedAt ?? this.#nowMs);
    const model = turn?.servedBy ?? "";
    const name = `chat ${model}`.trim();
    const attributes = { "gen_ai.operation.name": "chat", ...(turn === null ? {} : attributesOf(turn)), ...content };
    const span = this.#spanOf(name, "client", startMs, turn?.latencyMs ?? 0, attributes);
    const error = turn?.attempts.at(-1)?.error ?? null;
    this.#push(error === null ? span : { ...span, error: error.code });
  }

  #tool(call: TrialToolCall, id: string | undefined, content: string | null): void {
    this.#switchTo(call.agent);
    const { tool, args, result, error, startedAt, durationMs, delegation } = call;
    const startMs = Math.max(this.#nowMs, startedAt ?? this.#nowMs);
    const told = content ?? (result === undefined ? undefined : JSON.stringify(result));
    const span = this.#spanOf(`execute_tool ${tool}`, "internal", startMs, durationMs ?? 0, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
      "kindlm.fault": call.fault?.id,
      ...(this.#place.hasContent
        ? { "gen_ai.tool.call.arguments": JSON.stringify(args ?? {}), "gen_ai.tool.call.result": told }
        : {}),
    });
    this.#push(error === undefined || error === null ? span : { ...span, error: this.#errorOf(error) });
    if (delegation === undefined) return;
    const { template, messages, turns, toolCalls } = delegation;
    const agent = {
      ...this.#spanOf(`invoke_agent ${template}`, "internal", startMs, durationMs ?? 0, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": template,
      }),
      parentId: span.spanId,
    };
    const place = { ...this.#place, parentId: agent.spanId, startMs };
    this.#spans.push(agent, ...conversationSpans({ messages, turns, toolCalls }, place));
  }

  /** What a tool says of its failure may be anything. */
  #errorOf({ errorType, message }: NonNullable<TrialToolCall["error"]>): string {
    return this.#place.hasContent ? message : errorType;
  }

  #spanOf(
    name: string,
    kind: SentSpan["kind"],
    startMs: number,
    durationMs: number,
    attributes: SentAttributes,
  ): SentSpan {
    const parentId = this.#agent?.spanId ?? this.#place.parentId;
    const { traceId } = this.#place;
    return { traceId, spanId: createSpanId(), parentId, name, kind, startMs, endMs: startMs + durationMs, attributes };
  }

  /** An agent lasts as long as what it does. */
  #push(span: SentSpan): void {
    this.#nowMs = Math.max(this.#nowMs, span.endMs);
    if (this.#agent !== null) this.#agent.endMs = Math.max(this.#agent.endMs, span.endMs);
    this.#spans.push(span);
  }
}

function attributesOf({ attempts, servedBy, finishReason, usage, costUsd }: TurnRecord): SentAttributes {
  return {
    "gen_ai.provider.name": attempts.at(-1)?.provider,
    "gen_ai.response.model": servedBy ?? undefined,
    "gen_ai.response.finish_reasons": finishReason === null ? undefined : [finishReason],
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
    "gen_ai.usage.cost": costUsd === null ? undefined : { double: costUsd },
  };
}

/** A message as `gen_ai.input.messages` has it. */
function inputMessage(message: Message): object {
  switch (message.role) {
    case "assistant":
      return { role: "assistant", parts: partsOf(message) };
    case "tool":
      return {
        role: "tool",
        parts: [{ type: "tool_call_response", id: message.callId, response: message.content }],
      };
    case "user":
      return { role: "user", parts: userParts(message) };
    case "system":
      return { role: "system", parts: [{ type: "text", content: message.content }] };
  }
}

/** An answer as `gen_ai.output.messages` has it. */
function outputMessage(message: AssistantMessage, finishReason: string): object {
  return { role: "assistant", parts: partsOf(message), finish_reason: finishReason };
}

function partsOf({ text, toolCalls }: AssistantMessage): readonly object[] {
  const said = text === "" ? [] : [{ type: "text", content: text }];
  return [
    ...said,
    ...toolCalls.map(({ id, tool, args, malformed }) => ({
      type: "tool_call",
      id,
      name: tool,
      arguments: malformed?.raw ?? args ?? {},
    })),
  ];
}

/** Images would make spans larger than collectors take. */
function userParts({ content }: UserMessage): readonly object[] {
  if (typeof content === "string") return [{ type: "text", content }];
  return content.map((part) =>
    part.type === "text" ? { type: "text", content: part.text } : { type: "blob", modality: "image" },
  );
}

import type { LineProblem } from "../transcript-import/line-problem.js";
import type { Delegation } from "../transcript/trial.js";
import type { TurnRecord } from "../transcript/turn.js";
import { failure, success, type Result } from "../result.js";
import { conversationOf, type Conversation, type Scope, type Step } from "./conversation.js";
import type { Meaning, ModelCall, ToolRun, Unreadable } from "./meaning.js";
import { shownSpan, type Span } from "./span.js";
import { readAiSdk } from "./read-ai-sdk.js";
import { readGenAi } from "./read-gen-ai.js";
import { readOpenInference } from "./read-open-inference.js";
import { SpanReader } from "./span-reader.js";

interface Read {
  span: Span;
  meaning: Meaning;
}

/** The conversations of a trace, by the id of the tool span that they are below; that of the agent is below none. */
type Scopes = ReadonlyMap<string | null, Scope>;

/** What the spans of one trace say. */
export interface TracedConversation {
  /** Null if no model answered. */
  conversation: Conversation | null;
  /** The requests that were answered, in their order. */
  turns: readonly TurnRecord[];
  /** Set if the last request failed, so there is no last answer. */
  lastFailure: LineProblem | null;
}

/** Reads the spans of one trace. Reports each span that cannot be read, with its ID. */
export function readConversation(spans: readonly Span[]): Result<TracedConversation, readonly LineProblem[]> {
  const problems: LineProblem[] = [];
  const reads = new Map<string, Read>();
  for (const span of onlyOnce(spans)) {
    const meaning = readSpan(span);
    if (meaning.kind === "unreadable") problems.push(...meaning.problems);
    else reads.set(span.spanId, { span, meaning });
  }
  if (problems.length > 0) return failure(problems);
  const scopes = scopesOf(reads);
  const answered = (scopes.get(null)?.models ?? []).filter(({ meaning }) => meaning.output.length > 0);
  return success({
    conversation: conversationIn(scopes, null),
    turns: answered.map(turnOf),
    lastFailure: lastFailure(scopes),
  });
}

/** Whether a span has to do with an agent. A trace without any such span is of another program. */
export function concernsAgent(span: Span): boolean {
  return readSpan(span).kind !== "other";
}

/** An exporter that tries again sends a span twice, and one that sends it while it runs sends it again when it ended. */
function onlyOnce(spans: readonly Span[]): readonly Span[] {
  const byId = new Map<string, Span>();
  for (const span of spans) {
    const before = byId.get(span.spanId);
    if (before === undefined || before.endMs <= span.endMs) byId.set(span.spanId, span);
  }
  return [...byId.values()];
}

/** The closest agent and the closest tool above a span. */
interface Above {
  agent: string | null;
  tool: string | null;
}

/** Spans may be in any order, name parents that are not there, and even be their own parents. */
function aboveOf(reads: ReadonlyMap<string, Read>): (span: Span) => Above {
  const known = new Map<string, Above>();
  const none: Above = { agent: null, tool: null };
  return ({ parentId }) => {
    const path: Read[] = [];
    const seen = new Set<string>();
    let above = none;
    for (let id = parentId; id !== null && !seen.has(id);) {
      seen.add(id);
      const told = known.get(id);
      const one = reads.get(id);
      if (told !== undefined) above = told;
      if (told !== undefined || one === undefined) break;
      path.push(one);
      id = one.span.parentId;
    }
    for (const { span, meaning } of path.toReversed()) {
      if (meaning.kind === "agent") above = { ...above, agent: meaning.agent };
      if (meaning.kind === "tool") above = { agent: null, tool: span.spanId };
      known.set(span.spanId, above);
    }
    return above;
  };
}

function scopesOf(reads: ReadonlyMap<string, Read>): Scopes {
  const above = aboveOf(reads);
  const scopes = new Map<string | null, { models: Step<ModelCall>[]; tools: Step<ToolRun>[] }>();
  for (const { span, meaning } of reads.values()) {
    if (meaning.kind !== "model" && meaning.kind !== "tool") continue;
    const { agent: around, tool } = above(span);
    const scope = scopes.get(tool) ?? { models: [], tools: [] };
    scopes.set(tool, scope);
    const agent = meaning.agent ?? around;
    if (meaning.kind === "model") scope.models.push({ span, meaning, agent });
    else scope.tools.push({ span, meaning, agent });
  }
  return new Map(
    [...scopes].map(([tool, { models, tools }]) => [tool, { models: inOrder(models), tools: inOrder(tools) }]),
  );
}

/** The conversation below a tool, or the one that is below none; null if no model answered there. */
function conversationIn(scopes: Scopes, tool: string | null): Conversation | null {
  const scope = scopes.get(tool);
  const isAnswered = scope?.models.some(({ meaning }) => meaning.output.length > 0) ?? false;
  if (scope === undefined || !isAnswered) return null;
  return conversationOf(scope, (span) => delegationIn(scopes, span));
}

function inOrder<M>(steps: readonly Step<M>[]): readonly Step<M>[] {
  return steps.toSorted((a, b) => a.span.startMs - b.span.startMs || a.span.endMs - b.span.endMs);
}

/** What a tool asked another agent. */
function delegationIn(scopes: Scopes, tool: Span): Delegation | null {
  const trial = conversationIn(scopes, tool.spanId)?.trial ?? null;
  const [first, ...more] = scopes.get(tool.spanId)?.models ?? [];
  if (trial === null || first === undefined) return null;
  return {
    template: first.agent ?? tool.name,
    model: first.meaning.model ?? "unknown",
    status: "ok",
    turns: [first, ...more].map(turnOf),
    usage: trial.usage ?? { inputTokens: 0, outputTokens: 0 },
    costUsd: trial.costUsd ?? null,
    messages: [...(trial.messages ?? [])],
    toolCalls: trial.toolCalls ?? [],
  };
}

function turnOf({ span, meaning, agent }: Step<ModelCall>, index: number): TurnRecord {
  return {
    ...(agent === null ? {} : { agent }),
    turn: index + 1,
    userTurn: 1,
    latencyMs: Math.max(0, span.endMs - span.startMs),
    timeToFirstTokenMs: null,
    usage: meaning.usage,
    costUsd: meaning.costUsd,
    finishReason: meaning.finishReason,
    servedBy: meaning.model,
    fallback: null,
    attempts: [],
  };
}

/** A trace that ended in a failed request has no last answer. */
function lastFailure(scopes: Scopes): LineProblem | null {
  const last = scopes.get(null)?.models.at(-1);
  if (last === undefined || last.meaning.output.length > 0) return null;
  return {
    message: `${shownSpan(last.span)}: the last request to the model failed: ${last.span.error ?? "no answer"}`,
  };
}

/** The conventions, in the order in which they are tried: spans of the AI SDK have attributes of others in addition. */
const conventions = [readAiSdk, readOpenInference, readGenAi] as const;

/** What a span says about a conversation, by the first convention that knows it. */
function readSpan(span: Span): Meaning | Unreadable {
  const reader = new SpanReader(span);
  for (const read of conventions) {
    const meaning = read(reader);
    if (meaning === null) continue;
    return reader.problems.length > 0 ? { kind: "unreadable", problems: reader.problems } : meaning;
  }
  return { kind: "other" };
}

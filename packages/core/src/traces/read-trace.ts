import type { LineProblem } from "../transcript-import/line-problem.js";
import type { TranscriptAddress, TranscriptLine } from "../transcript-import/parse-transcript-line.js";
import type { Delegation, Trial } from "../transcript/trial.js";
import type { TurnRecord } from "../transcript/turn.js";
import { failure, success, type Result } from "../result.js";
import { isRecord, textOf, type JsonValue } from "../values/json.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";
import { conversationOf, type Scope, type Step } from "./conversation.js";
import type { Meaning, ModelCall, ToolRun } from "./meaning.js";
import { readSpan } from "./read-span.js";
import { shownSpan, type Span } from "./span.js";

interface Read {
  span: Span;
  meaning: Meaning;
}

/** The conversations of a trace, by the id of the tool span that they are below; that of the agent is below none. */
type Scopes = ReadonlyMap<string | null, Scope>;

/**
 * Reads the spans of one trace as a recorded conversation. Reports each span that cannot be read, with its id.
 *
 * @param testOf - the test of a trace that names none; null if nobody said one
 */
export function readTrace(
  spans: readonly Span[],
  testOf: string | null,
): Result<TranscriptLine, readonly LineProblem[]> {
  const known = onlyOnce(spans);
  const problems: LineProblem[] = [];
  const reads = new Map<string, Read>();
  for (const span of known) {
    const meaning = readSpan(span);
    if (meaning.kind === "unreadable") problems.push(...meaning.problems);
    else reads.set(span.spanId, { span, meaning });
  }
  const scopes = scopesOf(reads);
  const told = trialIn(scopes, null);
  const [first] = known;
  const traceId = first?.traceId ?? "";
  const address = addressIn(known, testOf);
  if (address === null) {
    problems.push({
      message: `Trace ${traceId} does not say which test it belongs to`,
      hint: "Name the test of all such traces with --as, or set the attribute kindlm.test on a span or on the resource",
    });
  }
  if (told === null && problems.length === 0) problems.push(silentTrace(traceId, known));
  if (told === null || address === null || problems.length > 0) return failure(problems);
  const last = lastFailure(scopes);
  if (last !== null) return failure([last]);
  return success({ address, injected: null, told, messages: null });
}

/** Whether a span has to do with an agent. A trace without any such span is of another program. */
export function concernsAgent(span: Span): boolean {
  return readSpan(span).kind !== "other";
}

function silentTrace(traceId: string, spans: readonly Span[]): LineProblem {
  const names = [...new Set(spans.map(({ name }) => name))].slice(0, 3).join(", ");
  return {
    message: `Trace ${traceId} has no span of a model (${spans.length} spans: ${names})`,
    hint: "Spans of models follow the conventions of OpenTelemetry, OpenInference or the Vercel AI SDK",
  };
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
function trialIn(scopes: Scopes, tool: string | null): Trial | null {
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
  const trial = trialIn(scopes, tool.spanId);
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

function turnOf({ span, meaning }: Step<ModelCall>, index: number): TurnRecord {
  return {
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

const addressKey = /(?:^|\.)kindlm\.(test|row|model|prompt|fault|arm)$/;

function addressIn(spans: readonly Span[], testOf: string | null): TranscriptAddress | null {
  const said = new Map<string, string>();
  for (const { attributes, resource } of spans) {
    for (const [key, value] of [...resource, ...attributes, ...metadataIn(attributes.get("metadata"))]) {
      const [, name] = addressKey.exec(key) ?? [];
      if (name !== undefined && (typeof value === "string" || typeof value === "number")) said.set(name, String(value));
    }
  }
  const of = (name: string): string | null => said.get(name) ?? null;
  const test = of("test") ?? testOf;
  if (test === null) return null;
  return { test, row: of("row"), model: of("model"), prompt: of("prompt"), fault: of("fault"), arm: of("arm") };
}

/** OpenInference has the metadata of the user as JSON. */
function metadataIn(metadata: JsonValue | undefined): readonly [string, unknown][] {
  const text = textOf(metadata);
  if (!text.includes("kindlm.")) return [];
  const parsed = parseJson(text, bodyRoom);
  return parsed.success && isRecord(parsed.data) ? Object.entries(parsed.data) : [];
}

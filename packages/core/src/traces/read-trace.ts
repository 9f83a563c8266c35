import type { LineProblem } from "../transcript-import/line-problem.js";
import type { TranscriptAddress, TranscriptLine } from "../transcript-import/parse-transcript-line.js";
import { failure, success, type Result } from "../result.js";
import { isRecord, textOf, type JsonValue } from "../values/json.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";
import { readConversation } from "./read-conversation.js";
import type { Span } from "./span.js";

/**
 * Reads the spans of one trace as a recorded conversation. Reports each span that cannot be read, with its id.
 *
 * @param testOf - the test of a trace that names none; null if nobody said one
 */
export function readTrace(
  spans: readonly Span[],
  testOf: string | null,
): Result<TranscriptLine, readonly LineProblem[]> {
  const read = readConversation(spans);
  const problems: LineProblem[] = read.success ? [] : [...read.error];
  const traceId = spans[0]?.traceId ?? "";
  const address = addressIn(spans, testOf);
  if (address === null) {
    problems.push({
      message: `Trace ${traceId} does not say which test it belongs to`,
      hint: "Name the test of all such traces with --as, or set the attribute kindlm.test on a span or on the resource",
    });
  }
  if (!read.success || address === null) return failure(problems);
  const { conversation, lastFailure } = read.data;
  if (conversation === null) return failure([silentTrace(traceId, spans)]);
  if (lastFailure !== null) return failure([lastFailure]);
  return success({ address, injected: null, told: conversation.trial, messages: null });
}

function silentTrace(traceId: string, spans: readonly Span[]): LineProblem {
  const names = [...new Set(spans.map(({ name }) => name))].slice(0, 3).join(", ");
  return {
    message: `Trace ${traceId} has no span of a model (${spans.length} spans: ${names})`,
    hint: "Spans of models follow the conventions of OpenTelemetry, OpenInference or the Vercel AI SDK",
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

import { failure, success, type Result } from "../result.js";
import { isList, isRecord, textOf, type JsonValue } from "../values/json.js";
import { bodyRoom, describeJsonProblem, parseJson } from "../values/parse-json.js";
import type { Attributes, Span, SpanEvent } from "./span.js";

type Written = Readonly<Record<string, unknown>>;

/** Objects in a list; whatever else is in it is not OTLP. */
function objectsIn(value: unknown): readonly Written[] {
  return isList(value) ? value.filter(isRecord) : [];
}

/** Reads `{ "resourceSpans": […] }`, or a list of such requests. The error completes a sentence. */
export function spansOfJson(text: string): Result<readonly Span[], string> {
  const parsed = parseJson(text, bodyRoom);
  if (!parsed.success) return failure(`is ${describeJsonProblem(parsed.error)}`);
  const requests = isList(parsed.data) ? parsed.data : [parsed.data];
  const spans: Span[] = [];
  for (const request of requests) {
    if (!isRecord(request) || !isList(request["resourceSpans"])) return failure('has no list "resourceSpans"');
    for (const { written, resource } of spansIn(request["resourceSpans"])) {
      const span = readSpan(written, resource);
      if (typeof span === "string") return failure(span);
      spans.push(span);
    }
  }
  return success(spans);
}

function* spansIn(groups: readonly unknown[]): Generator<{ written: Written; resource: Attributes }> {
  for (const group of objectsIn(groups)) {
    const resource = attributesOf(isRecord(group["resource"]) ? group["resource"]["attributes"] : []);
    for (const scope of objectsIn(group["scopeSpans"])) {
      for (const written of objectsIn(scope["spans"])) yield { written, resource };
    }
  }
}

function readSpan(written: Written, resource: Attributes): Span | string {
  const traceId = idOf(written["traceId"], 32);
  const spanId = idOf(written["spanId"], 16);
  if (traceId === null) return `has a span without a traceId of 32 hexadecimal digits (${textOf(written["name"])})`;
  if (spanId === null) return `has a span without a spanId of 16 hexadecimal digits (${textOf(written["name"])})`;
  const { status, droppedAttributesCount } = written;
  const events = objectsIn(written["events"]).map((event): SpanEvent => ({
    name: textOf(event["name"]),
    attributes: attributesOf(event["attributes"]),
  }));
  return {
    traceId,
    spanId,
    parentId: idOf(written["parentSpanId"], 16),
    name: textOf(written["name"]),
    startMs: milliseconds(written["startTimeUnixNano"]),
    endMs: milliseconds(written["endTimeUnixNano"]),
    attributes: attributesOf(written["attributes"]),
    resource,
    events,
    links: objectsIn(written["links"]).flatMap(({ traceId: linked }) => idOf(linked, 32) ?? []),
    error: isRecord(status) && isError(status["code"]) ? failureOf(textOf(status["message"]), events) : null,
    dropped: Number(droppedAttributesCount ?? 0) || 0,
  };
}

/** The message of a failed span. */
export function failureOf(message: string, events: readonly SpanEvent[]): string {
  if (message !== "") return message;
  const thrown = events.find(({ name }) => name === "exception")?.attributes;
  return textOf(thrown?.get("exception.message")) || textOf(thrown?.get("exception.type")) || "failed";
}

function isError(code: unknown): boolean {
  return code === 2 || code === "STATUS_CODE_ERROR";
}

const noId = /^0*$/;

function idOf(value: unknown, digits: number): string | null {
  const id = textOf(value).toLowerCase();
  return id.length === digits && /^[0-9a-f]+$/.test(id) && !noId.test(id) ? id : null;
}

/** Nanoseconds as a number lose digits that no figure here shows. */
function milliseconds(nanoseconds: unknown): number {
  const value = Number(nanoseconds);
  return Number.isFinite(value) ? value / 1e6 : 0;
}

function attributesOf(written: unknown): Attributes {
  return new Map(objectsIn(written).map(({ key, value }) => [textOf(key), valueOf(value)]));
}

function valueOf(written: unknown): JsonValue {
  if (!isRecord(written)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = written;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  if (intValue !== undefined) return Number(intValue);
  if (doubleValue !== undefined) return Number(doubleValue);
  if (isRecord(arrayValue)) return objectsIn(arrayValue["values"]).map(valueOf);
  if (isRecord(kvlistValue)) return Object.fromEntries(attributesOf(kvlistValue["values"]));
  return typeof bytesValue === "string" ? bytesValue : null;
}

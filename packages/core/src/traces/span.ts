import type { JsonValue } from "../values/json.js";

/** Attributes by their names. A map, since names come from outside. */
export type Attributes = ReadonlyMap<string, JsonValue>;

export interface SpanEvent {
  name: string;
  attributes: Attributes;
}

/** A span of OpenTelemetry, from whatever encoding. */
export interface Span {
  /** 32 and 16 lower-case hexadecimal digits. */
  traceId: string;
  spanId: string;
  /** Null for the root of a trace. */
  parentId: string | null;
  name: string;
  /** Milliseconds since the epoch, with fractions. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** What its resource says, such as `service.name`. */
  resource: Attributes;
  events: readonly SpanEvent[];
  /** Trace IDs that it is linked to. */
  links: readonly string[];
  /** Why it failed; null if it did not. */
  error: string | null;
  /** How many attributes the exporter cut off. */
  dropped: number;
}

/** The ID that messages show, with the name that people look for. */
export function shownSpan({ spanId, name }: Pick<Span, "spanId" | "name">): string {
  return `Span ${spanId} (${name})`;
}

/** A value of an attribute; undefined leaves the attribute out. */
export type AttributeValue = string | number | boolean | readonly string[] | Fraction | undefined;

/** A number that has to be sent as one with a fraction, also if it has none. */
export interface Fraction {
  double: number;
}

export type SentAttributes = Readonly<Record<string, AttributeValue>>;

export interface SentEvent {
  name: string;
  /** Milliseconds since the epoch, as everywhere here. */
  atMs: number;
  attributes: SentAttributes;
}

/** A span on its way to a collector. */
export interface SentSpan {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  kind: "internal" | "client";
  startMs: number;
  endMs: number;
  attributes: SentAttributes;
  events?: readonly SentEvent[];
  links?: readonly { traceId: string; spanId: string }[];
  /** Why it failed; absent if it did not. */
  error?: string;
}

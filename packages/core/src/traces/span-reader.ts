import type { LineProblem } from "../transcript-import/line-problem.js";
import { readMessages } from "../transcript-import/read-messages.js";
import { resultText } from "../transcript-import/result-text.js";
import type { Message } from "../transcript/message.js";
import type { Usage } from "../transcript/usage.js";
import { isList, textOf } from "../values/json.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";
import { shownSpan, type Attributes, type Span } from "./span.js";

const cutHint =
  "Raise OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT where the agent runs, and record it again";

/** Reads the attributes of a span, and collects what is wrong with them. */
export class SpanReader {
  readonly span: Span;
  readonly problems: LineProblem[] = [];

  constructor(span: Span) {
    this.span = span;
  }

  get attributes(): Attributes {
    return this.span.attributes;
  }

  /** The first of the attributes that is text; null if none is. */
  text(...keys: readonly string[]): string | null {
    for (const key of keys) {
      const value = textOf(this.attributes.get(key));
      if (value !== "") return value;
    }
    return null;
  }

  /** The sum of the first of the attributes that is a count; undefined if none is. */
  count(...keys: readonly string[]): number | undefined {
    for (const key of keys) {
      const value = this.attributes.get(key);
      if (typeof value === "number" && value >= 0) return value;
    }
    return undefined;
  }

  /** Structured data, or the JSON text of it; undefined if the attribute is not there. */
  data(key: string, attributes: Attributes = this.attributes): unknown {
    const value = attributes.get(key);
    if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
    const parsed = parseJson(value, bodyRoom);
    if (parsed.success) return parsed.data;
    this.report(`${key} is not valid JSON: the exporter may have cut it off`, cutHint);
    return undefined;
  }

  /** Reads messages in any known form; what is wrong with them is reported under the name of their attribute. */
  messages(written: readonly unknown[], name: string): readonly Message[] {
    const read = readMessages(written.map((value, index) => ({ value, path: `${name}[${index}]` })));
    if (read.success) return read.data;
    this.report(read.error);
    return [];
  }

  list(key: string, attributes?: Attributes): readonly unknown[] | null {
    const value = this.data(key, attributes);
    return isList(value) ? value : null;
  }

  usage(input: readonly string[], output: readonly string[], cached: readonly string[] = []): Usage | null {
    const inputTokens = this.count(...input);
    const outputTokens = this.count(...output);
    if (inputTokens === undefined && outputTokens === undefined) return null;
    const cachedInputTokens = this.count(...cached) ?? 0;
    const usage = { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
    return cachedInputTokens > 0 ? { ...usage, cachedInputTokens } : usage;
  }

  report(message: string, hint?: string): void {
    const shown = `${shownSpan(this.span)}: ${message}`;
    this.problems.push(hint === undefined ? { message: shown } : { message: shown, hint });
  }

  /** A model was called, but nobody knows what it said: an assertion could pass that has seen nothing. */
  reportNoContent(how: string): void {
    const { dropped } = this.span;
    if (dropped > 0) return this.report(`${dropped} of its attributes were cut off`, cutHint);
    this.report("the messages of the model are not recorded", how);
  }
}

/** A result as the model receives it; null if it is not recorded. */
export function contentOf(value: unknown): string | null {
  return value === undefined || value === null ? null : resultText(value);
}

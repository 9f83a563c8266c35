import type { Meaning, Unreadable } from "./meaning.js";
import { readAiSdk } from "./read-ai-sdk.js";
import { readGenAi } from "./read-gen-ai.js";
import { readOpenInference } from "./read-open-inference.js";
import type { Span } from "./span.js";
import { SpanReader } from "./span-reader.js";

/** The conventions, in the order in which they are tried: spans of the AI SDK have attributes of others in addition. */
const conventions = [readAiSdk, readOpenInference, readGenAi] as const;

/** What a span says about a conversation, by the first convention that knows it. */
export function readSpan(span: Span): Meaning | Unreadable {
  const reader = new SpanReader(span);
  for (const read of conventions) {
    const meaning = read(reader);
    if (meaning === null) continue;
    return reader.problems.length > 0 ? { kind: "unreadable", problems: reader.problems } : meaning;
  }
  return { kind: "other" };
}

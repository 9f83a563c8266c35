import { findCalls, holdsSomething } from "../../transcript/find-calls.js";
import { isRecord } from "../../values/json.js";

/**
 * The place in an agent's answer that looks like a tool call outside the keys that are read; null if it has none. A call that
 * nobody sees would let an assertion pass that forbids it.
 */
export function overlookedCall(answer: Readonly<Record<string, unknown>>, known: readonly string[]): string | null {
  const rest = Object.fromEntries(Object.entries(answer).filter(([key]) => !known.includes(key)));
  return findCalls(rest, { most: 1 })[0]?.path.slice(1) ?? null;
}

const aboutCall: ReadonlySet<string> = new Set(["type", "id", "tool", "args", "result", "error"]);

/** The key under which a call without `args` may have its arguments; null if there is none. */
export function overlookedArguments(call: unknown): string | null {
  if (!isRecord(call) || call["args"] !== undefined) return null;
  return Object.keys(call).find((key) => !aboutCall.has(key) && holdsSomething(call[key])) ?? null;
}

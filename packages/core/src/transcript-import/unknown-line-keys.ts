import { findCalls, holdsSomething } from "../transcript/find-calls.js";
import { isRecord } from "../values/json.js";
import type { LineProblem } from "./line-problem.js";
import { knownKeys } from "./trial-shape.js";
import { hiddenCall } from "./unknown-keys.js";
import { wordSet } from "../values/word-set.js";

/** Notes of recorders next to a conversation. They should contain no call; if one does, it is not overlooked. */
const notedKeys = wordSet(`
  metadata tags tools tool_choice labels scores feedback params settings config model_params invocation_params
  env git user timing timings system input
`);

const hint = 'Put it under "metadata" if it is none, or give the calls as "toolCalls"';

/**
 * What else a recorder writes is its own affair, as long as it cannot be a call: one that is overlooked would let an
 * assertion pass that forbids it. Where the line says itself which calls there were, only what looks like another is
 * refused.
 */
export function unknownLineKeys(line: Readonly<Record<string, unknown>>): readonly LineProblem[] {
  const { toolCalls } = line;
  const told = new Set(Array.isArray(toolCalls) ? toolCalls.map((call) => (isRecord(call) ? call["tool"] : null)) : []);
  return Object.entries(line).flatMap(([key, value]): readonly LineProblem[] => {
    if (!holdsSomething(value) || typeof value === "string") return [];
    if (isReadIn(line, key)) return [];
    if (toolCalls === undefined && !notedKeys.has(key)) {
      return [{ message: `"${key}" is not known and could hold tool calls`, hint }];
    }
    const hidden = findCalls({ [key]: value }).find(({ tool }) => tool === null || !told.has(tool));
    if (hidden === undefined) return [];
    return [{ message: `${hidden.path.slice(1)} ${hiddenCall}`, hint: 'Remove it, or give the calls as "toolCalls"' }];
  });
}

/** `contents` is another name of `messages`, and the input is read where there is neither. */
function isReadIn({ messages, contents }: Readonly<Record<string, unknown>>, key: string): boolean {
  if (key === "contents") return messages === undefined;
  if (key === "input") return messages === undefined && contents === undefined;
  return knownKeys.includes(key) && !notedKeys.has(key);
}

import { isRecord, textOf } from "../values/json.js";

/** Something in a JSON value that looks like a tool call, whoever's form it has. */
export interface FoundCall {
  /** Such as `.steps[0].tool_calls[1]`; empty for the value itself. */
  path: string;
  /** Null if the name is in no place that is known. */
  tool: string | null;
}

const kinds = "(?:(?:server|mcp|custom|dynamic|invalid)[-_]?)?(?:tool|function)[-_]?(?:call|use|invocation)";
const markerKey = new RegExp(`^${kinds}s?$`, "i");
const markedType = new RegExp(`^(?:${kinds}|dynamic-tool|mcp_call)$`, "i");
const nameKeys = ["name", "tool", "toolName", "tool_name"] as const;
const argumentKeys = ["arguments", "args", "input", "tool_input", "toolInput", "action_input", "kwargs"] as const;

export interface CallSearch {
  /** The search ends when so many are found; endless when absent. */
  most?: number;
  /** Keys, at any depth, whose values are not searched. */
  ignoredKeys?: ReadonlySet<string>;
  /** The types of objects that are not searched. */
  ignoredTypes?: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/**
 * Looks for what may be tool calls in a value that nobody reads: names with arguments, and what is marked as calls.
 * Refusals depend on it, so it finds too much rather than too little. The value may have any depth.
 */
export function findCalls(value: unknown, search: CallSearch = {}): readonly FoundCall[] {
  const { most = Number.POSITIVE_INFINITY, ignoredKeys = nothing, ignoredTypes = nothing } = search;
  const found: FoundCall[] = [];
  const waiting: FoundPlace[] = [{ value, path: "" }];
  for (let next = waiting.pop(); next !== undefined && found.length < most; next = waiting.pop()) {
    const { value: one, path, isMarked = false } = next;
    if (Array.isArray(one)) for (const place of placesIn(one, path, isMarked)) waiting.push(place);
    else if (isRecord(one)) {
      const type = textOf(one["type"]);
      if (ignoredTypes.has(type)) continue;
      const tool = nameIn(one);
      // What a tool is called with is its own affair, and is not searched.
      if (tool !== null || isMarked || markedType.test(type)) {
        found.push({ path, tool: tool ?? nameOf(one) ?? innerName(one) });
      } else for (const place of membersOf(one, path, ignoredKeys)) waiting.push(place);
    } else if (isMarked && holdsSomething(one)) found.push({ path, tool: null });
  }
  return found;
}

interface FoundPlace {
  value: unknown;
  path: string;
  /** Its key says that it is a call, or a list of calls. */
  isMarked?: boolean;
}

function placesIn(list: readonly unknown[], path: string, isMarked: boolean): readonly FoundPlace[] {
  return list.map((value, index) => ({ value, path: `${path}[${index}]`, isMarked })).toReversed();
}

function membersOf(
  one: Record<string, unknown>,
  path: string,
  ignoredKeys: ReadonlySet<string>,
): readonly FoundPlace[] {
  return Object.entries(one)
    .filter(([key, value]) => holdsSomething(value) && !ignoredKeys.has(key))
    .map(([key, value]) => ({ value, path: `${path}.${key}`, isMarked: markerKey.test(key) }))
    .toReversed();
}

function nameIn(value: Record<string, unknown>): string | null {
  return argumentKeys.some((name) => Object.hasOwn(value, name)) ? nameOf(value) : null;
}

function nameOf(value: Record<string, unknown>): string | null {
  const key = nameKeys.find((name) => textOf(value[name]) !== "");
  return key === undefined ? null : textOf(value[key]);
}

/** The name of `{ type: "function", function: { name, arguments } }`. */
function innerName(value: Record<string, unknown>): string | null {
  for (const inner of Object.values(value))
    if (isRecord(inner) && textOf(inner["name"]) !== "") return textOf(inner["name"]);
  return null;
}

/** False for what says that there is nothing, such as null, an empty list or an empty string. */
export function holdsSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return typeof value === "string" && value !== "";
}

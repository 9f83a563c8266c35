import { isRecord, textOf } from "../values/json.js";
import { plainName, qualifiedName } from "../values/plain-name.js";
import { wordSet } from "../values/word-set.js";

/** Something in a JSON value that looks like a tool call, in any provider's format. */
export interface FoundCall {
  /** Such as `.steps[0].tool_calls[1]`; empty for the value itself. */
  path: string;
  /** Null if the name is in no place that is known. */
  tool: string | null;
  /** As written next to the name; undefined if there are none. */
  args?: unknown;
}

const kinds = "(?:(?:server|mcp|custom|dynamic|invalid)[-_]?)?(?:tool|function)[-_]?(?:call|use|invocation)";
const markerKey = new RegExp(`^${kinds}s?$`, "i");
const markedType = new RegExp(`^(?:${kinds}|dynamic-tool|mcp_call)$`, "i");
const nameKeys = ["name", "tool", "toolName", "tool_name", "function_name", "recipient_name"] as const;
const argumentKeys = ["arguments", "args", "input", "tool_input", "toolInput", "action_input", "kwargs"] as const;
const argumentNames: ReadonlySet<string> = new Set(argumentKeys);

export interface CallSearch {
  /** The search ends when so many are found; endless when absent. */
  most?: number;
  /** Keys, at any depth, whose values are not searched. */
  ignoredKeys?: ReadonlySet<string>;
  /** The types of objects that are not calls, whatever is in them. */
  ignoredTypes?: ReadonlySet<string>;
  /** No definitions of tools are there, so that a name with `parameters` is a call too, and so are arguments alone. */
  isStrict?: boolean;
  /** Names of tools, as {@link plainName} gives them: wherever one is alone, except in text, it counts as a call. */
  names?: ReadonlySet<string>;
}

/** Without a name that is known, these alone make a call where no definition of a tool can be. */
const callKeys = wordSet("arguments args kwargs tool_input toolInput action_input toolCallId tool_call_id toolUseId");

const nothing: ReadonlySet<string> = new Set();
const longestName = 300;

/** The values of these keys are text, or values of the user. */
const textKeys = wordSet(`
  text content refusal reasoning reasoning_content thinking summary signature data delta tool_plan partial_json output_text
  arguments args input kwargs tool_input toolInput action_input
`);
/** Where a definition of a tool has its schema. */
const schemaKeys = wordSet("parameters input_schema inputSchema");
/** Where servers repeat which tools they were offered. */
const echoKeys = wordSet("tools tool_choice metadata instructions prompt");

/**
 * Looks for what may be tool calls in a value that nobody reads: names with arguments, and what is marked as calls.
 * Refusals depend on it, so it finds too much rather than too little. The value may have any depth.
 */
export function findCalls(value: unknown, search: CallSearch = {}): readonly FoundCall[] {
  const { most = Number.POSITIVE_INFINITY } = search;
  const found: FoundCall[] = [];
  const waiting: FoundPlace[] = [{ value, path: "", key: "", isMarked: false, isEcho: false }];
  for (let next = waiting.pop(); next !== undefined && found.length < most; next = waiting.pop()) {
    const { value: one } = next;
    const call = isRecord(one) ? callIn(one, next, search) : callAt(next, search);
    if (call !== null) found.push(call);
    addPlaces(waiting, next, call !== null, search);
  }
  return found;
}

/** In each key and type by which a call is found without knowing the names of tools, unless the key is escaped. */
const callWords = /tool|function|arg|input|mcp_call|\\u/i;

/** False only if {@link findCalls} finds nothing in what this text of JSON says. Takes a fraction of the time. */
export function mayHoldCalls(json: string, { names = nothing, isStrict = false }: CallSearch): boolean {
  return isStrict || names.size > 0 || callWords.test(json);
}

/** The call that an object is. */
function callIn(one: Record<string, unknown>, { path, isMarked }: FoundPlace, search: CallSearch): FoundCall | null {
  const type = textOf(one["type"]);
  if (search.ignoredTypes?.has(type) === true || isCount(one, path)) return null;
  const isStrict = search.isStrict === true;
  const tool = nameIn(one) ?? (isStrict ? strictNameIn(one) : null);
  const isCall =
    tool !== null ||
    isOffered(one, search) ||
    isMarked ||
    (type !== "" && markedType.test(type)) ||
    (isStrict && hasArguments(one));
  if (!isCall) return null;
  const named = tool !== null || nameOf(one) !== null ? one : innerCall(one);
  return named === null ? { path, tool: null } : { path, tool: nameOf(named), args: argumentsIn(named) };
}

/** The call that a string is. */
function callAt({ value, path, key, isMarked, isEcho }: FoundPlace, { names }: CallSearch): FoundCall | null {
  if (typeof value !== "string" || value === "") return null;
  if (isMarked) return { path, tool: null };
  return !isEcho && !textKeys.has(key) && isName(value, names) ? { path, tool: value } : null;
}

/** Anthropic counts the calls of its tools there. */
function isCount(one: Record<string, unknown>, path: string): boolean {
  return path.endsWith("usage.server_tool_use") && Object.values(one).every((value) => typeof value === "number");
}

function hasArguments(one: Record<string, unknown>): boolean {
  const { function: called } = one;
  if (isRecord(called) && nameOf(called) !== null) return true;
  return isRecord(one["input"]) || Object.keys(one).some((name) => callKeys.has(name));
}

/** Arguments next to the name of an offered tool, under any key. */
function isOffered(one: Record<string, unknown>, { names }: CallSearch): boolean {
  if (names === undefined || !argumentKeys.some((key) => Object.hasOwn(one, key))) return false;
  return Object.entries(one).some(
    ([key, value]) => typeof value === "string" && !textKeys.has(key) && isName(value, names),
  );
}

function isName(text: string, names: ReadonlySet<string> | undefined): boolean {
  return names !== undefined && names.size > 0 && text.length <= longestName && names.has(plainName(text));
}

interface FoundPlace {
  value: unknown;
  path: string;
  /** Of the object that it is in; of a list, that of the list. */
  key: string;
  /** Its key says that it is a call, or a list of calls. */
  isMarked: boolean;
  /** It repeats what was asked. */
  isEcho: boolean;
}

/** Adds what is to be searched next, the last first. Every answer goes through here, so nothing else is made. */
function addPlaces(waiting: FoundPlace[], place: FoundPlace, isCall: boolean, { ignoredKeys }: CallSearch): void {
  const { value, path, isEcho } = place;
  if (Array.isArray(value)) {
    for (let index = value.length - 1; index >= 0; index -= 1) {
      waiting.push({ ...place, value: value[index], path: `${path}[${index}]` });
    }
    return;
  }
  if (!isRecord(value)) return;
  // What a tool is called with is its own affair, and is not searched; nor is the schema in a definition of one.
  const left = isCall ? argumentNames : nameOf(value) === null ? nothing : schemaKeys;
  const keys = Object.keys(value);
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index] ?? "";
    const item = value[key];
    if (!holdsSomething(item) || left.has(key) || (!isCall && ignoredKeys?.has(key) === true)) continue;
    waiting.push({
      value: item,
      path: `${path}.${key}`,
      key,
      isMarked: isMarker(key),
      isEcho: isEcho || (echoKeys.has(key) && typeof item === "object"),
    });
  }
}

/** The same few keys come with every answer. */
const markers = new Map<string, boolean>();
const mostMarkers = 1_000;

function isMarker(key: string): boolean {
  const known = markers.get(key);
  if (known !== undefined) return known;
  const isOne = markerKey.test(key);
  if (markers.size < mostMarkers) markers.set(key, isOne);
  return isOne;
}

function nameIn(value: Record<string, unknown>): string | null {
  return argumentKeys.some((name) => Object.hasOwn(value, name)) ? nameOf(value) : null;
}

function strictNameIn(value: Record<string, unknown>): string | null {
  return Object.hasOwn(value, "parameters") ? nameOf(value) : null;
}

function nameOf(value: Record<string, unknown>): string | null {
  const key = nameKeys.find((name) => textOf(value[name]) !== "");
  return key === undefined ? null : qualifiedName(value["namespace"], textOf(value[key]));
}

/** What is inside of `{ type: "function", function: { name, arguments } }`. */
function innerCall(value: Record<string, unknown>): Record<string, unknown> | null {
  for (const inner of Object.values(value)) if (isRecord(inner) && nameOf(inner) !== null) return inner;
  return null;
}

function argumentsIn(value: Record<string, unknown>): unknown {
  const key = argumentKeys.find((one) => Object.hasOwn(value, one));
  return key === undefined ? undefined : value[key];
}

/** False for what says that there is nothing, such as null, an empty list or an empty string. */
export function holdsSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return typeof value === "string" && value !== "";
}

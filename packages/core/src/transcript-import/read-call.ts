import { readToolArguments } from "../providers/tool-arguments.js";
import type { RequestedToolCall } from "../transcript/message.js";
import { findCalls, holdsSomething } from "../transcript/find-calls.js";
import { canonicalJson } from "../values/canonical-json.js";
import { isRecord, textOf } from "../values/json.js";
import { wordSet } from "../values/word-set.js";

type Written = Record<string, unknown>;

/** A tool call as a conversation has it; `id` is empty where it has none. Else what is wrong with it. */
export type ReadCall = { call: RequestedToolCall } | { problem: string };

const idKeys = ["call_id", "toolCallId", "tool_call_id", "toolUseId", "callId", "id"] as const;
export const nameKeys = ["name", "tool", "toolName", "tool_name"] as const;
const argumentKeys = ["arguments", "args", "input", "parameters"] as const;

/** Further keys of calls besides name, id and arguments, which contain none of these. */
const otherKeys = wordSet(`
  type index state status title step caller error malformed approval result output errorText isError is_error
  providerExecuted dynamic invalid preliminary providerOptions providerMetadata callProviderMetadata
  resultProviderMetadata toolMetadata cache_control extra_content extra extras server_name server_label
  thought_signature thoughtSignature approval_request_id namespace created_by rawInput inputEncoding
  parsed_arguments execution agent outputs
`);

/**
 * Reads a tool call in any of the forms that are known. A call whose arguments may be in an unknown place is
 * refused: an assertion on them could pass without having seen them.
 *
 * @param named - the name, where the form has it outside of the call
 */
export function readCall(written: Written, named?: string): ReadCall {
  const { function: called, custom } = written;
  const inner = isRecord(called) ? called : isRecord(custom) ? custom : null;
  const own = inner === null ? written : { ...outside(written), ...inner };
  const [tool = "", otherName] = namesIn(written, inner, named);
  if (tool === "") return { problem: inner === null ? "has no name" : "has a function without a name" };
  if (otherName !== undefined)
    return { problem: `has two names, ${JSON.stringify(tool)} and ${JSON.stringify(otherName)}` };
  const id = textOf(idKeys.map((key) => own[key]).find((one) => textOf(one) !== ""));
  const given = argumentKeys.filter((key) => own[key] !== undefined && own[key] !== null);
  const unknown = Object.keys(own).find((key) => !isKnown(key) && mayHoldArguments(own[key], given.length > 0));
  if (unknown !== undefined) return { problem: `has its arguments perhaps in "${unknown}", which is not known` };
  const another = Object.keys(own).find((key) => !isKnown(key) && looksNamed(key, own[key]));
  if (another !== undefined) return { problem: `has its name perhaps in "${another}", which is not known` };
  const hidden = hiddenIn(own);
  if (hidden !== null) return { problem: `has another in "${hidden}"` };
  const [first, ...more] = [...given.map((key) => own[key]), ...overridden(written, inner)];
  if (more.some((other) => canonicalJson(other) !== canonicalJson(first))) {
    const places = given.length > 1 ? given.map((key) => `"${key}"`).join(" and ") : "two places";
    return { problem: `has arguments in ${places}` };
  }
  const isText = isRecord(custom) || own["type"] === "custom_tool_call";
  const { malformed, rawInput } = own;
  if (isRecord(malformed)) {
    const args = { args: undefined, malformed: { raw: textOf(malformed["raw"]), reason: textOf(malformed["reason"]) } };
    return { call: { id, tool, ...args } };
  }
  const args = first ?? rawInput;
  return { call: { id, tool, ...(isText ? { args } : readToolArguments(args)) } };
}

/** The different names of a call, first the one that its form has outside of it. */
function namesIn(written: Written, inner: Written | null, named: string | undefined): readonly string[] {
  const all = [named ?? "", ...[inner ?? {}, written].flatMap((from) => nameKeys.map((key) => textOf(from[key])))];
  return [...new Set(all.filter((name) => name !== ""))];
}

/** Arguments next to a function that has its own. */
function overridden(written: Written, inner: Written | null): readonly unknown[] {
  if (inner === null) return [];
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
  return argumentKeys.filter((key) => isGiven(written[key]) && isGiven(inner[key])).map((key) => written[key]);
}

/** Whether a word under this key may be the name of a tool. */
export function looksNamed(key: string, value: unknown): boolean {
  return /name|tool|function|recipient/i.test(key) && !/ids?$/i.test(key) && textOf(value) !== "";
}

/** The tool's answer is not a call of the agent. */
const answerKeys: ReadonlySet<string> = new Set(["result", "output", "outputs", "error"]);

function hiddenIn(own: Written): string | null {
  const notes = Object.entries(own).filter(
    ([key]) => otherKeys.has(key) && !answerKeys.has(key) && typeof own[key] === "object",
  );
  return findCalls(Object.fromEntries(notes), { most: 1, isStrict: true })[0]?.path.slice(1) ?? null;
}

function outside({ function: _called, custom: _custom, ...rest }: Written): Written {
  return rest;
}

function isKnown(key: string): boolean {
  const known: readonly string[] = [...idKeys, ...nameKeys, ...argumentKeys];
  return otherKeys.has(key) || known.includes(key);
}

/** If there are arguments, a short note next to them does not count. */
function mayHoldArguments(value: unknown, hasArguments: boolean): boolean {
  if (typeof value === "object" && value !== null) return holdsSomething(value);
  return !hasArguments && value !== null && value !== undefined && value !== "";
}

/**
 * Calls of one message from all the places where it has them. Some programs write the same call down twice, such as in
 * a block of the content and in `tool_calls`; two that differ stay two.
 */
export function withoutRepeats(places: readonly (readonly RequestedToolCall[])[]): readonly RequestedToolCall[] {
  const kept: RequestedToolCall[] = [];
  for (const calls of places) {
    const before = kept.slice();
    for (const call of calls) {
      const index = before.findIndex((other) => isSame(other, call));
      if (index === -1) kept.push(call);
      else {
        const at = kept.indexOf(before.splice(index, 1)[0] ?? call);
        if (isEmpty(kept[at])) kept[at] = call;
      }
    }
  }
  return kept;
}

function isSame(a: RequestedToolCall, b: RequestedToolCall): boolean {
  if (a.tool !== b.tool) return false;
  if (a.id !== "" && b.id !== "" && a.id !== b.id) return false;
  const isEither = a.id !== "" && a.id === b.id && (isEmpty(a) || isEmpty(b));
  return isEither || canonicalJson(argumentsOf(a)) === canonicalJson(argumentsOf(b));
}

/** A call that was put together while it streamed has its arguments in one of its places only. */
function isEmpty(call: RequestedToolCall | undefined): boolean {
  return (
    call !== undefined && call.malformed === undefined && isRecord(call.args) && Object.keys(call.args).length === 0
  );
}

function argumentsOf({ args, malformed }: RequestedToolCall): unknown {
  return malformed?.raw ?? args ?? null;
}

import type { AssertionResult } from "@kindlm/core";
import { argsOf, isRecord, plural } from "@kindlm/core/program";
import type { Describe, FailureWords, Wording } from "./failure-words.js";
import { argumentMiss, describeNearCall, nameOf, wrongValue, type Call } from "./wrong-value.js";

/**
 * Words for the assertions about tool calls, by their type. They read what the assertion expected and what it found. A
 * describer gives null for what it does not know.
 */
export const callWords: Readonly<Record<string, Describe>> = {
  tool_called: describeToolCalled,

  tool_not_called({ expected, actual }, wording) {
    const [call] = callsIn(actual);
    if (call === undefined) return null;
    const tool = nameOf(call, wording);
    const isAnyCall = !isRecord(expected) || !("args" in expected);
    const columns = { "called with": argumentsOf(call, wording) };
    return isAnyCall
      ? { title: `${tool} is called, and must not be`, tool, columns, reason: `${tool} called` }
      : { title: `${tool} is called with forbidden arguments`, tool, sort: "args", columns, reason: `${tool} called` };
  },

  tool_order({ expected, actual }, wording) {
    const made = callsIn(actual);
    const columns = { called: sequence(made, wording) };
    const missing = callsIn(expected).find(({ tool }) => !made.some((call) => call.tool === tool));
    if (missing === undefined) {
      return {
        title: "The tools are called in the wrong order",
        columns,
        reason: `called: ${sequence(made, wording)}`,
      };
    }
    const tool = nameOf(missing, wording);
    const title = `${tool} is not called, though the order requires it`;
    return { title, tool, sort: "missing", columns, reason: `${tool} not called` };
  },

  tool_calls: describeToolCalls,

  tool_args_schema({ actual, message }, wording) {
    const [call] = callsIn(actual);
    if (call === undefined) return null;
    const tool = nameOf(call, wording);
    const why = wording.text(message.slice(message.lastIndexOf("): ") + 3));
    const title = `The arguments of ${tool} break their schema`;
    return { title, tool, columns: { arguments: argumentsOf(call, wording) }, note: why, reason: `${tool}: ${why}` };
  },

  max_tool_calls({ expected, actual, message }, wording) {
    const [, of = ""] = /^Expected at most \d+ (?:tool )?calls?(?: of (\S+))?,/.exec(message) ?? [];
    const what = of === "" ? "Tools are" : `${wording.mask(of)} is`;
    const columns = { calls: wording.show(actual), "at most": wording.show(expected) };
    const reason = `${wording.show(actual)} tool calls, at most ${wording.show(expected)} allowed`;
    return { title: `${what} called too often`, tool: of, columns, reason };
  },

  no_redundant_calls: ({ actual }, wording) => {
    const call = nestedCall(actual, "again");
    return call === null ? null : aboutCall(call, (tool) => `${tool} is called again without need`, "again", wording);
  },

  no_blind_retry: ({ actual }, wording) => {
    const call = nestedCall(actual, "again");
    if (call === null) return null;
    return aboutCall(call, (tool) => `${tool} is repeated unchanged after an error that is final`, "repeated", wording);
  },

  recovers_from: (result, wording) =>
    describeRecovery(result, "failed", wording, {
      lost: (tool) => `The agent does not recover from an error of ${tool}`,
      never: (tool) => `${tool} does not fail as expected, so the agent has nothing to recover from`,
    }),

  fixes_arguments: (result, wording) =>
    describeRecovery(result, "refused", wording, {
      lost: (tool) => `The agent does not correct the arguments of ${tool}`,
      never: (tool) => `${tool} rejects no arguments, so the agent has nothing to correct`,
    }),

  no_tool_errors({ actual }, wording) {
    const [call] = callsIn(actual);
    if (call === undefined) return null;
    const tool = nameOf(call, wording);
    const error = isRecord(call.error) ? call.error : {};
    const type = wording.text(error["errorType"] ?? "unknown");
    const message = wording.text(error["message"] ?? "");
    const reason = `${tool} failed: ${message}`;
    return { title: `${tool} fails with a ${type} error`, tool, sort: type, columns: { error: message }, reason };
  },

  asks_before({ actual }, wording) {
    const call = isCall(actual) ? actual : null;
    return call === null
      ? null
      : aboutCall(call, (tool) => `${tool} is called without asking the user first`, "", wording);
  },

  event({ expected, actual }, wording) {
    if (!isRecord(expected)) return null;
    const name = wording.text(expected["name"]);
    const emitted = Array.isArray(actual) ? actual.filter(isRecord) : [];
    const last = emitted.findLast((one) => one["name"] === expected["name"]);
    if (last === undefined) {
      const names = emitted.map((one) => wording.text(one["name"])).join(", ");
      const columns = { emitted: names === "" ? "nothing" : names };
      return {
        title: `No tool emits the event ${name}`,
        sort: "missing",
        path: name,
        columns,
        reason: `no event ${name}`,
      };
    }
    const wrong = wrongValue(expected["data"], last["data"], wording);
    return { title: `The event ${name} has the wrong ${wrong.noun}`, ...wrong.words, path: `${name}.${wrong.noun}` };
  },
};

function describeToolCalled({ expected, actual }: AssertionResult, wording: Wording): FailureWords | null {
  if (!isCall(expected)) return null;
  const tool = nameOf(expected, wording);
  if (isCall(actual)) return describeNearCall(expected, actual, wording);
  if (!Array.isArray(actual)) return null;
  const made = callsIn(actual);
  if (made.length === 0) {
    const others = actual.map((name) => wording.text(name)).join(", ");
    const columns = { "called instead": others === "" ? "nothing" : others };
    return { title: `${tool} is not called`, tool, sort: "missing", columns, reason: `${tool} not called` };
  }
  const wanted = countWanted(expected);
  const isTooOften = wanted.max !== null && made.length > wanted.max;
  const title =
    wanted.max === 0
      ? `${tool} is called, and must not be`
      : `${tool} is called too ${isTooOften ? "often" : "rarely"}`;
  const columns = { calls: String(made.length), expected: wanted.text };
  const reason = `${tool} called ${plural(made.length, "time")}, expected ${wanted.text}`;
  return { title, tool, sort: isTooOften ? "often" : "rarely", columns, reason };
}

export function countWanted(expected: object): { text: string; max: number | null } {
  const bounds: { times?: unknown; min?: unknown; max?: unknown } = expected;
  const { times, min, max } = bounds;
  if (typeof times === "number") return { text: `exactly ${times}`, max: times };
  const most = typeof max === "number" ? max : null;
  const least = typeof min === "number" ? min : 1;
  if (most === null) return { text: `at least ${least}`, max: null };
  return { text: least <= 1 ? `at most ${most}` : `${least} to ${most}`, max: most };
}

function describeToolCalls({ expected, actual }: AssertionResult, wording: Wording): FailureWords | null {
  const wanted = callsIn(expected);
  const made = callsIn(actual);
  const columns = { called: sequence(made, wording) };
  const missing = wanted.find(({ tool }) => !made.some((call) => call.tool === tool));
  if (missing !== undefined) {
    const tool = nameOf(missing, wording);
    return { title: `${tool} is not called`, tool, sort: "missing", columns, reason: `${tool} not called` };
  }
  const extra = made.find(({ tool }) => !wanted.some((call) => call.tool === tool));
  if (extra !== undefined) {
    const tool = nameOf(extra, wording);
    return {
      title: `${tool} is called, and is not in the list`,
      tool,
      sort: "extra",
      columns,
      reason: `${tool} called`,
    };
  }
  for (const one of wanted) {
    const candidates = made.filter(({ tool }) => tool === one.tool);
    const misses = candidates.map((call) => argumentMiss(one, call, wording));
    const [miss] = misses;
    if (miss !== null && miss !== undefined && !misses.includes(null)) return miss;
  }
  return {
    title: "The tool calls differ from the expected list",
    columns,
    reason: `called: ${sequence(made, wording)}`,
  };
}

interface RecoveryWords {
  lost(tool: string): string;
  never(tool: string): string;
}

function describeRecovery(
  { expected, actual, message }: AssertionResult,
  key: string,
  wording: Wording,
  words: RecoveryWords,
): FailureWords | null {
  const wanted = isRecord(expected) && "recovery" in expected ? expected["recovery"] : expected;
  if (!isCall(wanted)) return null;
  const tool = nameOf(wanted, wording);
  const [, why = ""] = /, but (.*)$/s.exec(message) ?? [];
  const isLost = isRecord(actual) && key in actual;
  return {
    title: isLost ? words.lost(tool) : words.never(tool),
    tool,
    sort: isLost ? "lost" : "never",
    columns: { instead: wording.text(why) },
    reason: wording.text(why),
  };
}

export function aboutCall(call: Call, title: (tool: string) => string, verb: string, wording: Wording): FailureWords {
  const tool = nameOf(call, wording);
  const columns = { arguments: argumentsOf(call, wording) };
  return {
    title: title(tool),
    tool,
    columns,
    reason: verb === "" ? `${tool} called without asking` : `${tool} ${verb}`,
  };
}

function argumentsOf(call: Call, { show }: Wording): string {
  return isRecord(call.args) && Object.keys(call.args).length === 0 ? "nothing" : show(argsOf(call));
}

function sequence(calls: readonly Call[], { mask }: Wording): string {
  return calls.length === 0 ? "nothing" : calls.map(({ tool }) => mask(tool)).join(" → ");
}

function nestedCall(actual: unknown, key: string): Call | null {
  const first = Array.isArray(actual) ? actual.find(isRecord) : undefined;
  const call = first?.[key];
  return isCall(call) ? call : null;
}

export function callsIn(value: unknown): readonly Call[] {
  return Array.isArray(value) ? value.filter(isCall) : [];
}

export function isCall(value: unknown): value is Call {
  return isRecord(value) && typeof value["tool"] === "string";
}

import type { TrialToolCall } from "../../transcript/trial.js";
import { nearestName } from "../../values/nearest-name.js";
import type { CallDifference } from "./expected-call.js";
import { describeTools } from "./made-calls.js";
import { plural } from "../../values/plural.js";

export interface NearestMiss {
  /** Reads on after `but`, such as `the closest of 2 calls differs at order_id: "ORD-7"`. */
  words: string;
  call: TrialToolCall | null;
}

/** Which of the calls of the tool came nearest, and how it differs; none of them is as expected. */
export function findNearestMiss(
  tool: string,
  calls: readonly TrialToolCall[],
  compare: (call: TrialToolCall) => CallDifference | null,
): NearestMiss {
  const ofTool = calls.filter((call) => call.tool === tool);
  if (ofTool.length === 0) return { words: describeNeverCalled(tool, calls), call: null };
  let nearest: { call: TrialToolCall; difference: CallDifference } | null = null;
  for (const call of ofTool) {
    const difference = compare(call);
    if (difference === null || (nearest !== null && nearest.difference.distance <= difference.distance)) continue;
    nearest = { call, difference };
  }
  const which = ofTool.length === 1 ? "the only call" : `the closest of ${plural(ofTool.length, "call")}`;
  return { words: `${which} ${nearest?.difference.words ?? "differs"}`, call: nearest?.call ?? null };
}

/** Reads on after `but`: the tool is not among the calls, and what was called instead. */
export function describeNeverCalled(tool: string, calls: readonly TrialToolCall[]): string {
  if (calls.length === 0) return "no tools were called";
  const similar = nearestName(tool, new Set(calls.map((call) => call.tool)));
  const nearest = similar === null ? "" : `; the nearest name is "${similar}"`;
  return `it was never called; called: ${describeTools(calls)}${nearest}`;
}

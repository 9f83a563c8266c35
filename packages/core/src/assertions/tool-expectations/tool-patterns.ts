import * as z from "../../values/deferred-zod.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import type { AssertionReference } from "../define-assertion.js";
import { toolName } from "./expected-call.js";
import { joinNames } from "./made-calls.js";

/** An option that names tools: a name, a glob, or a list of either. */
export const toolPatterns = z.union([toolName, z.array(toolName).min(1)]);

export type ToolPatterns = z.output<typeof toolPatterns>;

export function matchesTool(patterns: ToolPatterns, tool: string): boolean {
  return typeof patterns === "string"
    ? matchesNameGlob(patterns, tool)
    : patterns.some((pattern) => matchesNameGlob(pattern, tool));
}

/** Such as `pay or refund_*`. */
export function describePatterns(patterns: ToolPatterns): string {
  return typeof patterns === "string" ? patterns : joinNames(patterns, "or");
}

/** What the option `key` refers to. No call of these tools is needed; globs refer to nothing in particular. */
export function patternReferences(patterns: ToolPatterns | undefined, key: string): readonly AssertionReference[] {
  const named = (name: string, path: readonly (string | number)[]): readonly AssertionReference[] =>
    /[*?]/.test(name) ? [] : [{ kind: "tool", name, needed: false, path }];
  if (patterns === undefined) return [];
  return typeof patterns === "string"
    ? named(patterns, [key])
    : patterns.flatMap((name, index) => named(name, [key, index]));
}

import * as z from "../../values/deferred-zod.js";
import { toolGlob } from "../../schema-parts/tool-glob.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { plainName } from "../../values/plain-name.js";
import type { AssertionReference } from "../define-assertion.js";
import { joinNames } from "./made-calls.js";

/** An option that names tools: a name, a glob, or a list of either. */
export const toolPatterns = z.union([toolGlob, z.array(toolGlob).min(1)]);

export type ToolPatterns = z.output<typeof toolPatterns>;

export function matchesTool(patterns: ToolPatterns, tool: string): boolean {
  return typeof patterns === "string"
    ? matchesNameGlob(patterns, tool)
    : patterns.some((pattern) => matchesNameGlob(pattern, tool));
}

/**
 * The same for what must not be called: a name that looks like one of them counts too, such as `functions.pay`, or one
 * with a character that nobody sees.
 */
export function looksLikeTool(patterns: ToolPatterns, tool: string): boolean {
  return matchesTool(patterns, tool) || matchesTool(patterns, plainName(tool));
}

/** Such as `pay or refund_*`. */
export function describePatterns(patterns: ToolPatterns): string {
  return typeof patterns === "string" ? patterns : joinNames(patterns, "or");
}

/** What the option `key` refers to. No call of these tools is needed. */
export function patternReferences(patterns: ToolPatterns | undefined, key: string): readonly AssertionReference[] {
  const named = (name: string, path: readonly (string | number)[]): AssertionReference => ({
    kind: "tool",
    name,
    needed: false,
    ...(/[*?]/.test(name) ? { isGlob: true } : {}),
    path,
  });
  if (patterns === undefined) return [];
  return typeof patterns === "string"
    ? [named(patterns, [key])]
    : patterns.map((name, index) => named(name, [key, index]));
}

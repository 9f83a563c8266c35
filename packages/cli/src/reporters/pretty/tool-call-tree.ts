import { isDeepStrictEqual } from "node:util";
import { type AssertionResult, matchValue, type TrialToolCall, type UsedFallback } from "@kindlm/core";
import {
  argsOf,
  isRecord,
  preview,
  previewCall,
  redactValue,
  visibleLine,
  withExactIntegers,
} from "@kindlm/core/program";
import { drawTree, type TreeNode } from "./draw-tree.js";
import type { PrettyView } from "./pretty-view.js";

const mostShown = 20;

/** The tool calls of a trial as a tree; arguments that an assertion expected otherwise are marked below their call. */
export function renderToolCalls(
  calls: readonly TrialToolCall[],
  failing: readonly AssertionResult[],
  mask: (text: string) => string,
  view: PrettyView,
): string[] {
  if (calls.length === 0) return [];
  const shown = view.options.verbose ? calls : calls.slice(0, mostShown);
  const children: TreeNode[] = shown.map((call) => callNode(call, failing, mask, view));
  if (shown.length < calls.length) children.push({ text: `… and ${calls.length - shown.length} more` });
  return drawTree({ text: "Tool calls", children });
}

function callNode(
  call: TrialToolCall,
  failing: readonly AssertionResult[],
  mask: (text: string) => string,
  view: PrettyView,
): TreeNode {
  const width = Math.max(60, view.options.width - 20);
  const written = visibleLine(
    previewCall(mask(call.tool), withExactIntegers(redactValue(call.args, mask), call.exactIntegers), width),
  );
  const outcome =
    call.error === undefined
      ? view.palette.dim(
          call.result === undefined ? "" : ` → ${visibleLine(preview(redactValue(call.result, mask), 60))}`,
        )
      : view.palette.red(` → ${call.error.errorType} error: ${visibleLine(preview(mask(call.error.message), 60))}`);
  const met = call.fault === undefined ? "" : view.palette.yellow(` [fault ${visibleLine(mask(call.fault.id))}]`);
  const notAgain = call.resumed === undefined ? "" : view.palette.yellow(` [${resumedText[call.resumed]}]`);
  const undone = call.rejectedTry === undefined ? "" : view.palette.dim(` [try ${call.rejectedTry}, rejected]`);
  const instead =
    call.fallback === undefined ? "" : view.palette.yellow(` [${visibleLine(describeFallback(call.fallback, mask))}]`);
  return {
    text: `${written}${outcome}${met}${notAgain}${instead}${decidedBy(call, mask, view)}${undone}`,
    children: differences(call, failing, mask).map(({ name, expected, actual }) => ({
      text: view.palette.yellow(visibleLine(`${mask(name)}: ${previewOf(actual, mask)}, expected ${expected}`)),
    })),
  };
}

const resumedText = {
  answered_before: "made before the interruption, and not repeated",
  sealed: "interrupted before its result arrived, and not repeated",
} as const;

function describeFallback({ by, reason }: UsedFallback, mask: (text: string) => string): string {
  const what = by === "last_value" ? "last value" : "fallback";
  return `${what} after ${reason.errorType} error: ${preview(mask(reason.message), 60)}`;
}

/** What a plugin put there must not look like the tool's own answer. */
function decidedBy({ hook }: TrialToolCall, mask: (text: string) => string, view: PrettyView): string {
  if (hook === undefined) return "";
  const verb = hook.decision === "deny" ? "denied" : "replaced";
  const name = visibleLine(mask(hook.plugin));
  // The reason of a denial is the message of its error.
  const reason =
    hook.reason === null || hook.decision === "deny" ? "" : `: ${visibleLine(preview(mask(hook.reason), 60))}`;
  return view.palette.yellow(` [${verb} by plugin ${name}${reason}]`);
}

interface Difference {
  name: string;
  /** As text. */
  expected: string;
  actual: unknown;
}

/** What the matchers of failing assertions rejected in the arguments of the call, and nothing else. */
function differences(
  call: TrialToolCall,
  failing: readonly AssertionResult[],
  mask: (text: string) => string,
): Difference[] {
  const found = new Map<string, Difference>();
  for (const wanted of failing.flatMap((assertion) => expectedOf(assertion, call))) {
    const matched = matchValue(wanted, argsOf(call));
    if (matched.pass) continue;
    for (const { path, expected, actual } of matched.mismatches) {
      const isWords = typeof expected === "string" && !holdsText(wanted, expected);
      const shown = isWords ? mask(expected) : previewOf(expected, mask);
      found.set(path, { name: path, expected: shown, actual });
    }
  }
  return [...found.values()];
}

function previewOf(value: unknown, mask: (text: string) => string): string {
  // A large integer with all its digits is not a string.
  return preview(typeof value === "bigint" ? value : redactValue(value, mask), 60);
}

/** Whether a string is in the matcher as written; else it is the matcher in words. */
function holdsText(source: unknown, text: string): boolean {
  if (typeof source !== "object" || source === null) return source === text;
  return Object.values(source).some((item) => holdsText(item, text));
}

/** The arguments that an assertion expected where it found this call instead. */
function expectedOf(assertion: AssertionResult, call: TrialToolCall): Record<string, unknown>[] {
  const inParts = failingParts(assertion).flatMap((part) => expectedOf(part, call));
  const { expected, actual, type } = assertion;
  // Forbidden calls are not a measure for the actual ones.
  if (type === "tool_not_called" || type.startsWith("not ")) return inParts;
  // An assertion that names its nearest miss is about that call and no other.
  if (isRecord(actual) && "args" in actual && !isDeepStrictEqual(actual["args"], call.args)) return inParts;
  const wanted: unknown[] = Array.isArray(expected) ? expected : [expected];
  const ofThisTool = wanted.flatMap((one) =>
    isRecord(one) && one["tool"] === call.tool && isRecord(one["args"]) ? [one["args"]] : [],
  );
  // Several expectations of one tool cannot be distinguished here; the message does that.
  return ofThisTool.length === 1 ? [...ofThisTool, ...inParts] : inParts;
}

function failingParts(assertion: AssertionResult): readonly AssertionResult[] {
  return (assertion.parts ?? []).filter((part) => !part.pass);
}

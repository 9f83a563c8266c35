import type { AssertionResult, TrialToolCall, UsedFallback } from "@kindlm/core";
import { preview, previewCall, redactValue, visibleLine, withExactIntegers } from "@kindlm/core/program";
import { differencesOf } from "../call-differences.js";
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
    children: differencesOf(call, failing, mask).map(({ path, expected, actual }) => ({
      text: view.palette.yellow(visibleLine(`${mask(path)}: ${actual}, expected ${expected}`)),
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

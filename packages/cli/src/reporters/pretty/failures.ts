import {
  type AssertionResult,
  readDecisiveTrial,
  type RunResult,
  type TestResult,
  type TrialResult,
  type TrialToolCall,
  type UsedFallback,
} from "@kindlm/core";
import {
  capitalized,
  failingAssertions,
  maskFor,
  plural,
  visible,
  preview,
  previewCall,
  redactValue,
  visibleLine,
  withExactIntegers,
} from "@kindlm/core/program";
import { renderExecution } from "../render-execution.js";
import { renderConversation } from "./conversation.js";
import type { PrettyView } from "./pretty-view.js";
import { differencesOf } from "../../findings/call-differences.js";
import { drawTree, type TreeNode } from "./draw-tree.js";

/** How many cases are shown in detail without `--verbose`; more are not read anyway. */
const mostShown = 50;
const longestAnswer = 300;

/** Each failed case: what it expected, which tools it called, what it answered. */
export async function* renderFailures(result: RunResult, view: PrettyView): AsyncIterable<string> {
  const failed = result.suites.flatMap((suite) => suite.tests.filter((test) => test.status === "failed"));
  if (failed.length === 0) return;
  yield `\n${view.palette.bold("Failures")}\n`;
  const shown = view.options.verbose ? failed : failed.slice(0, mostShown);
  for (const test of shown) {
    // One case after the other keeps memory flat.
    const decisive = await readDecisiveTrial(result, test);
    yield `\n${renderFailure(test, decisive, view).join("\n")}\n`;
  }
  const hidden = failed.length - shown.length;
  if (hidden > 0) yield `\n  … and ${plural(hidden, "more failed case")}; --verbose shows all of them\n`;
}

function renderFailure(
  test: TestResult & { status: "failed" },
  decisive: TrialResult | null,
  view: PrettyView,
): string[] {
  const { palette } = view;
  const position = test.position === null ? "" : `  ${test.position.file}:${test.position.line}`;
  const lines = [`  ${palette.bold(palette.red(`✗ ${view.line(test.id)}`))}${palette.dim(view.line(position))}`];
  const { trials, help } = renderExecution(test);
  if (trials !== "") lines.push(`    ${capitalized(trials)}`);
  for (const text of help) lines.push(`    ${palette.yellow(capitalized(text))}`);
  if (decisive !== null) lines.push(...renderTrial(decisive, view).map((line) => `    ${line}`));
  return lines;
}

/** What the assertions missed, and what the agent did and said. */
function renderTrial({ assertions, toolCalls, simulatedUser, output }: TrialResult, view: PrettyView): string[] {
  const { options } = view;
  const mask = maskFor(assertions, options.redact);
  const failing = failingAssertions(assertions);
  const lines = failing.flatMap((assertion) => renderAssertion(assertion, mask, "", view));
  lines.push(...renderToolCalls(toolCalls, failing, mask, view));
  if (simulatedUser !== undefined) return [...lines, ...renderConversation(simulatedUser, mask, view)];
  const answer = cutAnswer(mask(output), options.verbose);
  if (answer !== "") {
    const [first = "", ...rest] = visible(answer).split("\n");
    lines.push(`Answer: ${first}`, ...rest.map((line) => `        ${line}`));
  }
  return lines;
}

function renderAssertion(
  assertion: AssertionResult,
  mask: (text: string) => string,
  indent: string,
  view: PrettyView,
): string[] {
  const [first = "", ...rest] = visible(mask(assertion.message)).split("\n");
  const turn = assertion.userTurn === undefined ? "" : ` (user turn ${assertion.userTurn})`;
  const name = assertion.id === undefined ? assertion.type : `${assertion.type} ${assertion.id}`;
  const lines = [
    `${indent}${view.palette.yellow(view.line(name + turn))}: ${first}`,
    ...rest.map((line) => `${indent}  ${line}`),
  ];
  for (const part of failingAssertions(assertion.parts ?? [])) {
    lines.push(...renderAssertion(part, mask, `${indent}  `, view));
  }
  return lines;
}

/** The text is already masked, so that cutting leaves no half of a secret. */
function cutAnswer(text: string, verbose: boolean): string {
  const trimmed = text.trim();
  if (verbose || trimmed.length <= longestAnswer) return trimmed;
  return `${trimmed.slice(0, longestAnswer).replace(/[\ud800-\udbff]$/, "")}…`;
}

const mostCalls = 20;

/** The tool calls of a trial as a tree; arguments that an assertion expected otherwise are marked below their call. */
function renderToolCalls(
  calls: readonly TrialToolCall[],
  failing: readonly AssertionResult[],
  mask: (text: string) => string,
  view: PrettyView,
): string[] {
  if (calls.length === 0) return [];
  const shown = view.options.verbose ? calls : calls.slice(0, mostCalls);
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

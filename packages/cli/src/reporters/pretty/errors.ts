import {
  type Diagnostic,
  type KindlmError,
  readDecisiveTrial,
  type RunResult,
  type SuiteResult,
  type TrialResult,
} from "@kindlm/core";
import { maskFor, plural, withCounts } from "@kindlm/core/program";
import { describeTally } from "../../errors/describe-digest.js";
import { digestDiagnostics } from "../../errors/digest-diagnostics.js";
import type { ErrorExplanation } from "../../errors/error-messages.js";
import { explainError } from "../../errors/explain-error.js";
import { whereKept } from "../../file-changes/describe-changes.js";
import type { ErrorCause } from "../../findings/find-causes.js";
import { listIds } from "../../findings/short-ids.js";
import { fitWidth } from "../../terminal/text-width.js";
import { renderExplanation } from "../render-explanation.js";
import { findingHead } from "./failures.js";
import { heading, type PrettyView } from "./pretty-view.js";

const mostNames = 5;
/** Behind a style, or none. */
const codeLine = /^\S{0,5} +\d* \| /;
const indent = "     ";

/** Errored cases by cause, with what fixes it. */
export async function* renderErrors(
  result: RunResult,
  causes: readonly ErrorCause[],
  view: PrettyView,
): AsyncIterable<string> {
  if (causes.length === 0) return;
  const { palette } = view;
  const cases = causes.reduce((sum, cause) => sum + cause.cases.length, 0);
  const about = `${plural(causes.length, "cause")}, ${plural(cases, "case")} · no verdict about the agent`;
  yield heading(palette.magenta("ERRORED"), about, view);
  // Resuming the run gives all of them their chance, so the first one says it.
  const resumable = causes.find((cause) => isResumable(cause, result));
  for (const cause of causes) {
    const lines = await causeLines(result, cause, cause === resumable, view);
    yield `\n${lines.join("\n")}\n`;
  }
}

async function causeLines(
  result: RunResult,
  cause: ErrorCause,
  saysResume: boolean,
  view: PrettyView,
): Promise<string[]> {
  const { palette, options } = view;
  const { error, fix, cases, number, title } = cause;
  // The first line of an error message is red, as the specification has it; its sign and its cases are not.
  const said = palette.bold(palette.red(view.line(title)));
  const lines = findingHead(palette.magenta("!"), number, said, cases.length, view);
  for (const line of fix) lines.push(...view.wrap(indent, view.asTyped(view.line(line))));
  if (saysResume) {
    lines.push(...view.wrap(`${indent}${palette.dim("then")}  `, view.command("kindlm test --resume")));
  }
  const [words] = view.explain(error);
  for (const line of words?.more ?? []) lines.push(...view.wrap(indent, palette.dim(view.line(line))));
  lines.push(...view.wrap(indent, palette.dim(view.line(listIds(cases, options.verbose ? cases.length : mostNames)))));
  for (const test of cases.slice(0, options.verbose ? undefined : mostNames)) {
    // One case after the other keeps memory flat.
    const trial = await readDecisiveTrial(result, test);
    if (error.code === "JUDGE_EVAL_ERROR") lines.push(...renderEvaluated(trial, view));
    for (const line of trial === null ? [] : whereKept(trial)) lines.push(...view.wrap(indent, view.line(line)));
  }
  return lines;
}

/** Whether resuming the run is worth a line. */
function isResumable({ error, fix }: ErrorCause, { run }: RunResult): boolean {
  return mayWorkAgain(error) && run.scored === undefined && !fix.some((line) => line.includes("--resume"));
}

/** Whether the cases have their chance when the run goes on, as they are. */
function mayWorkAgain({ code }: KindlmError): boolean {
  return (
    code.startsWith("PROVIDER_") ||
    code === "ENGINE_TIMEOUT" ||
    code === "ENGINE_BUDGET_EXCEEDED" ||
    code === "JUDGE_EVAL_ERROR"
  );
}

/** What is known of a trial although a judge has said nothing: the assertions that ask none. */
function* renderEvaluated(trial: TrialResult | null, view: PrettyView): Iterable<string> {
  const evaluated = (trial?.assertions ?? []).filter(({ error, skipped }) => error === undefined && skipped !== true);
  if (trial === null || evaluated.length === 0) return;
  const mask = maskFor(trial.assertions, view.options.redact);
  yield* view.wrap(indent, view.palette.dim(view.line(`Without the judge, ${trial.caseId}:`)));
  for (const { type, id, pass, message } of evaluated) {
    const mark = pass ? view.palette.green("✓") : view.palette.red("✗");
    yield* view.wrap(`${indent}  ${mark} `, view.line(`${id ?? type}: ${mask(message)}`));
  }
}

/** Suites that could not run, with the problems that stopped them; what stopped several is shown with the first. */
export function* renderSkippedSuites({ suites }: RunResult, view: PrettyView): Iterable<string> {
  const skipped = suites.filter((suite) => suite.status === "skipped");
  if (skipped.length === 0) return;
  yield heading("SKIPPED", plural(skipped.length, "suite"), view);
  const render = (explanations: readonly ErrorExplanation[]): string =>
    explanations
      .flatMap((one) => renderExplanation(one, view))
      // The lines of a config are aligned with one another, so they are cut where others are wrapped.
      .flatMap((line) => (codeLine.test(line) ? [`  ${fitWidth(line, view.columns - 2)}`] : view.wrap("  ", line)))
      .map((line) => `${line}\n`)
      .join("");
  const problems = skipped.flatMap((suite) => errorsOf(suite).map((problem) => ({ ...problem, stopped: suite })));
  const { shown, tally } = digestDiagnostics(problems, view.options.digest);
  const others: string[] = [];
  for (const suite of skipped) {
    const own = shown.filter(({ stopped }) => stopped === suite);
    if (own.length === 0 && errorsOf(suite).length > 0) others.push(view.line(suite.name));
    else {
      const words = own.length > 0 ? explainError(suite.error, view.options.verbose, own) : view.explain(suite.error);
      yield `\n  ${view.palette.bold(view.line(suite.name))}\n${render(words)}`;
    }
  }
  if (others.length > 0) yield `\n${view.wrap("  ", `Also skipped: ${listed(others)}`).join("\n")}\n`;
  if (tally !== null) yield `\n${render([describeTally(tally, view.options.digest)])}`;
}

function errorsOf({ diagnostics }: Extract<SuiteResult, { status: "skipped" }>): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

function listed(names: readonly string[]): string {
  const more = names.length > mostNames ? withCounts` and ${names.length - mostNames} more` : "";
  return `${names.slice(0, mostNames).join(", ")}${more}`;
}

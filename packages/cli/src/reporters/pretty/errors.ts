import { type Diagnostic, readDecisiveTrial, type RunResult, type SuiteResult, type TrialResult } from "@kindlm/core";
import { maskFor, plural } from "@kindlm/core/program";
import { describeTally } from "../../errors/describe-digest.js";
import { digestDiagnostics } from "../../errors/digest-diagnostics.js";
import type { ErrorExplanation } from "../../errors/error-messages.js";
import { explainError } from "../../errors/explain-error.js";
import { findCauses } from "../../findings/find-causes.js";
import { renderExplanation } from "../render-explanation.js";
import type { PrettyView } from "./pretty-view.js";

const mostNames = 5;

/** Errored cases, grouped by cause. */
export async function* renderErrors(result: RunResult, view: PrettyView): AsyncIterable<string> {
  const groups = findCauses(result, view.options);
  if (groups.length === 0) return;
  yield `\n${view.palette.bold("Errors")}\n`;
  for (const { error, cases } of groups) {
    const lines = view.explain(error).flatMap((one) => renderExplanation(one, view));
    const shown = view.options.verbose ? cases : cases.slice(0, mostNames);
    const names = shown.map((test) => view.line(test.id)).join(", ");
    const more = cases.length > shown.length ? ", …" : "";
    lines.push(view.palette.dim(`  ${plural(cases.length, "case")}: ${names}${more}`));
    if (error.code === "JUDGE_EVAL_ERROR") {
      for (const test of shown) {
        // One case after the other keeps memory flat.
        lines.push(...renderEvaluated(await readDecisiveTrial(result, test), view));
      }
    }
    yield `\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
  }
}

/** What is known of a trial although a judge has said nothing: the assertions that ask none. */
function* renderEvaluated(trial: TrialResult | null, view: PrettyView): Iterable<string> {
  const evaluated = (trial?.assertions ?? []).filter(({ error, skipped }) => error === undefined && skipped !== true);
  if (trial === null || evaluated.length === 0) return;
  const mask = maskFor(trial.assertions, view.options.redact);
  yield view.palette.dim(view.line(`  Without the judge, ${trial.caseId}:`));
  for (const { type, id, pass, message } of evaluated) {
    const mark = pass ? view.palette.green("✓") : view.palette.red("✗");
    yield `    ${mark} ${view.line(`${id ?? type}: ${mask(message)}`)}`;
  }
}

/** Suites that could not run, with the problems that stopped them; what stopped several is shown with the first. */
export function* renderSkippedSuites({ suites }: RunResult, view: PrettyView): Iterable<string> {
  const skipped = suites.filter((suite) => suite.status === "skipped");
  if (skipped.length === 0) return;
  yield `\n${view.palette.bold("Skipped suites")}\n`;
  const render = (explanations: readonly ErrorExplanation[]): string =>
    explanations
      .flatMap((one) => renderExplanation(one, view))
      .map((line) => `  ${line}\n`)
      .join("");
  const problems = skipped.flatMap((suite) => errorsOf(suite).map((problem) => ({ ...problem, stopped: suite })));
  const { shown, tally } = digestDiagnostics(problems, view.options.digest);
  const others: string[] = [];
  for (const suite of skipped) {
    const own = shown.filter(({ stopped }) => stopped === suite);
    if (own.length === 0 && errorsOf(suite).length > 0) others.push(view.line(suite.name));
    else {
      const words = own.length > 0 ? explainError(suite.error, view.options.verbose, own) : view.explain(suite.error);
      yield `\n  ${view.line(suite.name)}\n${render(words)}`;
    }
  }
  if (others.length > 0) yield `\n  Also skipped: ${listed(others)}\n`;
  if (tally !== null) yield `\n${render([describeTally(tally, view.options.digest)])}`;
}

function errorsOf({ diagnostics }: Extract<SuiteResult, { status: "skipped" }>): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

function listed(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `${names.slice(0, mostNames).join(", ")}${more}`;
}

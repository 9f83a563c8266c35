import type { RunResult, TrialResult } from "../../engine/run-result.js";
import { maskFor } from "../case-mask.js";
import { readDecisiveTrial } from "../read-decisive-trial.js";
import { explain } from "../explain.js";
import { groupErrors } from "../group-errors.js";
import { renderExplanation } from "../render-explanation.js";
import { plural } from "../../values/plural.js";
import type { PrettyView } from "./pretty-view.js";

const mostNames = 5;

/** Errored cases, grouped by cause. */
export async function* renderErrors(result: RunResult, view: PrettyView): AsyncIterable<string> {
  const groups = groupErrors(result.suites);
  if (groups.length === 0) return;
  yield `\n${view.palette.bold("Errors")}\n`;
  for (const { error, cases } of groups) {
    const lines = view.explain(error).flatMap((one) => renderExplanation(one, view.palette, view.line));
    const shown = view.options.verbose ? cases : cases.slice(0, mostNames);
    const names = shown.map((test) => view.line(test.id)).join(", ");
    const more = cases.length > shown.length ? ", …" : "";
    lines.push(view.palette.dim(`  ${plural(cases.length, "case")}: ${names}${more}`));
    if (error.code === "JUDGE_EVAL_ERROR") {
      for (const test of shown) {
        // oxlint-disable-next-line no-await-in-loop -- one case after the other keeps memory flat
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

/** Suites that could not run, with every problem that stopped them. */
export function* renderSkippedSuites(result: RunResult, view: PrettyView): Iterable<string> {
  const skipped = result.suites.filter((suite) => suite.status === "skipped");
  if (skipped.length === 0) return;
  yield `\n${view.palette.bold("Skipped suites")}\n`;
  for (const suite of skipped) {
    const problems = suite.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
    const lines = explain(suite.error, view.options, problems).flatMap((one) =>
      renderExplanation(one, view.palette, view.line),
    );
    yield `\n  ${view.line(suite.name)}\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
  }
}

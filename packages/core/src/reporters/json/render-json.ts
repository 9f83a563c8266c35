import type { AssertionResult } from "../../assertions/assertion-result.js";
import { suiteSummaryShape } from "../../summary/case-summary.js";
import { compareModels, modelComparisonShape } from "../../engine/summary/compare-models.js";
import type { RunResult, SuiteResult, TestResult } from "../../engine/run-result.js";
import { suiteShape } from "../../engine/suite-result.js";
import { trialShape } from "../../engine/trial-result.js";
import type { JsonValue } from "../../values/json.js";
import { caseReport } from "../report-parts.js";
import { shownTrialOf } from "../read-decisive-trial.js";
import type { RenderOptions } from "../define-reporter.js";
import { reportView, saidView } from "../report-view.js";
import { reportShape } from "./report-shape.js";

export async function* renderJson(result: RunResult, options: RenderOptions): AsyncIterable<string> {
  const view = reportView(options);
  const models = await compareModels(result.suites, result.run.seed);
  const head = {
    ...reportShape.report(result, view),
    ...(models === null ? {} : { models: modelComparisonShape.report(models, view) }),
  };
  yield "{\n";
  for (const [key, value] of Object.entries(head)) yield `"${key}": ${JSON.stringify(value)},\n`;
  yield '"suites": [';
  let first = true;
  for (const suite of result.suites) {
    yield first ? "\n" : ",\n";
    first = false;
    yield* renderSuite(suite, result, options);
  }
  yield "\n]\n}\n";
}

async function* renderSuite(suite: SuiteResult, result: RunResult, options: RenderOptions): AsyncIterable<string> {
  const view = reportView(options);
  const found = result.suiteSummaries.find((one) => one.suite === suite.name);
  const summary = found === undefined ? null : suiteSummaryShape.report(found, view);
  const head = Object.assign(suiteShape.report(suite, view), { summary });
  yield `${JSON.stringify(head).slice(0, -1)},"tests":[`;
  let first = true;
  for (const test of suite.tests) {
    // One case after the other keeps memory flat.
    const { trials, assertions } = await readTrials(test, result, options);
    yield `${first ? "" : ","}\n${JSON.stringify(Object.assign(caseReport(test, assertions, options), { trials }))}`;
    first = false;
  }
  yield "]}";
}

/**
 * The trials of a case as they are reported, and the assertions of its decisive one. The conversation of the shown one
 * is there if the case did not pass, and in verbose reports every conversation.
 */
async function readTrials(
  test: TestResult,
  result: RunResult,
  options: RenderOptions,
): Promise<{ trials: JsonValue[]; assertions: readonly AssertionResult[] }> {
  const trials: JsonValue[] = [];
  let assertions: readonly AssertionResult[] = [];
  if (test.status === "skipped") return { trials, assertions };
  const shown = await shownTrialOf(test, options);
  for await (const trial of result.trials(test.id)) {
    if (trial.trial === test.decisiveTrial) assertions = trial.assertions;
    const messages = options.verbose || (trial.trial === shown && test.status !== "passed");
    trials.push(trialShape.report(trial, { ...saidView(trial.assertions, options), messages }));
  }
  return { trials, assertions };
}

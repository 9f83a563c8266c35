import type { AssertionResult } from "../../assertions/assertion-result.js";
import { suiteSummaryShape } from "../../summary/case-summary.js";
import { compareModels, modelComparisonShape } from "../../engine/summary/compare-models.js";
import type { RunResult, SuiteResult, TestResult, TrialResult } from "../../engine/run-result.js";
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
  yield `${JSON.stringify(head).slice(0, -1)},"tests":[\n`;
  let first = true;
  for (const test of suite.tests) {
    // One case after the other keeps memory flat.
    const text = options.rendered?.get(test) ?? (await readAndRender(test, result, options));
    yield first ? text.slice(separator.length) : text;
    first = false;
  }
  yield "]}";
}

/** Stands between two cases, and is part of the second: what was rendered ahead goes on as it is. */
const separator = ",\n";

/** A case that passed, with its only trial. */
export function renderCase(test: TestResult, trial: TrialResult, options: RenderOptions): string {
  const { assertions } = trial;
  return withTrials(test, { assertions, trials: [trialReport(trial, options, false)] }, options);
}

/** A case with its trials. The conversation of the shown one is there if the case did not pass. */
async function readAndRender(test: TestResult, result: RunResult, options: RenderOptions): Promise<string> {
  const read: Reported = { assertions: [], trials: [] };
  if (test.status === "skipped") return withTrials(test, read, options);
  const shown = await shownTrialOf(test, options);
  for await (const trial of result.trials(test.id)) {
    if (trial.trial === test.decisiveTrial) read.assertions = trial.assertions;
    read.trials.push(trialReport(trial, options, trial.trial === shown && test.status !== "passed"));
  }
  return withTrials(test, read, options);
}

/** The assertions of the decisive trial of a case, and all its trials as they are reported. */
interface Reported {
  assertions: readonly AssertionResult[];
  trials: JsonValue[];
}

function withTrials(test: TestResult, { assertions, trials }: Reported, options: RenderOptions): string {
  return `${separator}${JSON.stringify(Object.assign(caseReport(test, assertions, options), { trials }))}`;
}

/** Verbose reports have every conversation. */
function trialReport(trial: TrialResult, options: RenderOptions, isShown: boolean): JsonValue {
  const messages = options.verbose || isShown;
  return trialShape.report(trial, { ...saidView(trial.assertions, options), messages });
}

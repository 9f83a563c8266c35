import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { RunResult, SuiteResult, TestResult } from "../../engine/run-result.js";
import { compareModels } from "../../engine/summary/compare-models.js";
import type { JsonValue } from "../../values/json.js";
import type { RenderOptions } from "../define-reporter.js";
import { reportSchemaVersion } from "./report-schema-version.js";
import { reportedModels, reportedSuiteSummary } from "./reported-rates.js";
import { reportedError } from "./reported-error.js";
import { reportedRun } from "./reported-run.js";
import { reportedCase, reportedTrial } from "./reported-test.js";

export async function* renderJson(result: RunResult, options: RenderOptions): AsyncIterable<string> {
  const models = await compareModels(result.suites, result.run.seed);
  const head = {
    schemaVersion: reportSchemaVersion,
    ...reportedRun(result, options),
    ...(models === null ? {} : { models: reportedModels(models, options.redact) }),
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
  const error = suite.status === "skipped" ? reportedError(suite.error, options.redact, options.verbose) : null;
  const summary = reportedSuiteSummary(result.suiteSummaries.find((one) => one.suite === suite.name));
  const { redact } = options;
  const head = { name: redact(suite.name), file: redact(suite.file), status: suite.status, error, summary };
  yield `${JSON.stringify(head).slice(0, -1)},"tests":[`;
  let first = true;
  for (const test of suite.tests) {
    // One case after the other keeps memory flat.
    const { trials, assertions } = await readTrials(test, result, options);
    yield `${first ? "" : ","}\n${JSON.stringify(Object.assign(reportedCase(test, assertions, options), { trials }))}`;
    first = false;
  }
  yield "]}";
}

/** The trials of a case as they are reported, and the assertions of its decisive one. */
async function readTrials(
  test: TestResult,
  result: RunResult,
  options: RenderOptions,
): Promise<{ trials: JsonValue[]; assertions: readonly AssertionResult[] }> {
  const trials: JsonValue[] = [];
  let assertions: readonly AssertionResult[] = [];
  if (test.status === "skipped") return { trials, assertions };
  for await (const trial of result.trials(test.id)) {
    if (trial.trial === test.decisiveTrial) assertions = trial.assertions;
    trials.push(reportedTrial(trial, options));
  }
  return { trials, assertions };
}

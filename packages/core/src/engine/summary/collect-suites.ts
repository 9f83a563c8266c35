import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { PlannedBrokenSuite, PlannedCase, RunPlan } from "../../plan/run-plan.js";
import type { RunEventBody } from "../run-event.js";
import type { SuiteResult, TestResult } from "../run-result.js";

/** Puts the verdicts of cases, which come in any order, where the config has them. */
export interface SuiteCollector {
  started(planned: PlannedCase): void;
  /** `assertions`: what those of the decisive trial found. */
  add(planned: PlannedCase, result: TestResult, assertions: readonly AssertionResult[]): void;
  finish(): readonly SuiteResult[];
}

export function collectSuites(plan: RunPlan, emit: (event: RunEventBody) => void): SuiteCollector {
  const results: TestResult[] = Array.from({ length: plan.caseCount });
  const open = new Map<string, number>();
  const begun = new Set<string>();
  for (const suite of plan.suites) if (suite.status === "ready") open.set(suite.name, suite.caseCount);

  const begin = (suite: string): void => {
    if (begun.has(suite)) return;
    begun.add(suite);
    emit({ channel: "progress", type: "suite:start", suite, cases: open.get(suite) ?? 0 });
  };

  return {
    started: ({ suite }) => begin(suite),
    add({ suite, index }, result, assertions) {
      begin(suite);
      results[index] = result;
      emit({ channel: "progress", type: "case:end", suite, result, assertions });
      const left = (open.get(suite) ?? 1) - 1;
      open.set(suite, left);
      if (left === 0) emit({ channel: "progress", type: "suite:end", suite });
    },
    finish() {
      let next = 0;
      return plan.suites.map((suite): SuiteResult => {
        if (suite.status === "broken") return brokenResult(suite);
        const tests = results.slice(next, next + suite.caseCount);
        next += suite.caseCount;
        return { status: "run", name: suite.name, file: suite.file, tests, ...placesOf(suite) };
      });
    },
  };
}

function placesOf({ places }: { places?: readonly number[] }): { places?: readonly number[] } {
  return places === undefined ? {} : { places };
}

function brokenResult(suite: PlannedBrokenSuite): SuiteResult {
  const reason = `the suite is broken: ${suite.error.message}`;
  return {
    status: "skipped",
    name: suite.name,
    file: suite.file,
    error: suite.error,
    diagnostics: suite.diagnostics,
    ...placesOf(suite),
    tests: suite.cases.map(({ id, name, model, row, prompt, fault, tags }) => ({
      id,
      suite: suite.name,
      name,
      model,
      row,
      prompt,
      fault,
      tags,
      critical: false,
      allowFailure: null,
      position: null,
      status: "skipped",
      reason,
    })),
  };
}

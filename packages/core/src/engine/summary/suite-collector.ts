import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { PlannedBrokenSuite, PlannedCase, RunPlan } from "../../plan/run-plan.js";
import type { RunEventBody } from "../run-event.js";
import type { SuiteResult, TestResult, TrialResult } from "../run-result.js";

/** Puts the verdicts of cases, which come in any order, where the config has them. */
export class SuiteCollector {
  readonly #plan: RunPlan;
  readonly #emit: (event: RunEventBody) => void;
  readonly #results: TestResult[];
  /** Cases that are not decided, by suite. */
  readonly #open = new Map<string, number>();
  readonly #started = new Set<string>();

  constructor(plan: RunPlan, emit: (event: RunEventBody) => void) {
    this.#plan = plan;
    this.#emit = emit;
    this.#results = Array.from({ length: plan.caseCount });
    for (const suite of plan.suites) if (suite.status === "ready") this.#open.set(suite.name, suite.caseCount);
  }

  start({ suite }: Pick<PlannedCase, "suite">): void {
    if (this.#started.has(suite)) return;
    this.#started.add(suite);
    this.#emit({ channel: "progress", type: "suite:start", suite, cases: this.#open.get(suite) ?? 0 });
  }

  /** `assertions`: what those of the decisive trial found; `trial`: the only one of a case that passed. */
  add(
    planned: PlannedCase,
    result: TestResult,
    assertions: readonly AssertionResult[] = [],
    trial: TrialResult | null = null,
  ): void {
    const { suite, index } = planned;
    this.start(planned);
    this.#results[index] = result;
    this.#emit({ channel: "progress", type: "case:end", suite, result, assertions, trial });
    const left = (this.#open.get(suite) ?? 1) - 1;
    this.#open.set(suite, left);
    if (left === 0) this.#emit({ channel: "progress", type: "suite:end", suite });
  }

  finish(): readonly SuiteResult[] {
    let next = 0;
    return this.#plan.suites.map((suite): SuiteResult => {
      if (suite.status === "broken") return brokenResult(suite);
      const tests = this.#results.slice(next, next + suite.caseCount);
      next += suite.caseCount;
      const { arms } = suite.source;
      return {
        status: "run",
        name: suite.name,
        file: suite.file,
        tests,
        ...(arms === undefined ? {} : { arms }),
        ...placesOf(suite),
      };
    });
  }
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
    tests: suite.cases.map(({ id, name, model, row, prompt, fault, arm, tags }) => ({
      id,
      suite: suite.name,
      name,
      model,
      row,
      prompt,
      fault,
      ...(arm === null ? {} : { arm }),
      tags,
      critical: false,
      allowFailure: null,
      position: null,
      status: "skipped",
      reason,
    })),
  };
}

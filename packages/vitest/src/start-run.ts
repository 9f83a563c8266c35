import { runTests, type Environment, type Result, type RunResult, type RunTestsOptions } from "@kindlm/core";
import { diagnosticsOf } from "@kindlm/core/program";
import { errorOfRun, type CaseOutcome } from "./case-errors.js";

/** A run of some cases. */
export interface StartedRun {
  /** Whether it has all cases of the config, so that its gates mean something. */
  isWhole: boolean;
  /** What became of a case, as soon as it is known. Rejects if the run did not start, or ended without the case. */
  outcomeOf(id: string): Promise<CaseOutcome>;
  result: Promise<Result<RunResult>>;
  /** Interrupts what still runs, and resolves when it has ended. */
  end(): Promise<void>;
}

/** Starts a run of these cases; null for all. It does not wait for any of them. */
export function startRun(
  options: RunTestsOptions,
  environment: Environment,
  cases: readonly string[] | null,
): StartedRun {
  const known = new Map<string, CaseOutcome>();
  const waiting = new Map<string, (outcome: CaseOutcome) => void>();
  const settle = (outcome: CaseOutcome): void => {
    known.set(outcome.test.id, outcome);
    waiting.get(outcome.test.id)?.(outcome);
  };
  const stop = new AbortController();
  const onEvent: Environment["onEvent"] = (event) => {
    if (event.type === "case:end") settle({ test: event.result, assertions: event.assertions });
  };
  const filters = cases === null ? options.filters : { ...options.filters, cases: [...cases] };
  const wanted = filters === undefined ? options : { ...options, filters };
  const result = runTests(wanted, { ...environment, signal: stop.signal, onEvent });
  const ended = result.then((ran) => {
    if (!ran.success) throw errorOfRun(ran.error, environment.cwd ?? "", diagnosticsOf(ran.error));
    // Cases of broken suites have no event.
    const tests = ran.data.suites.flatMap((suite) => suite.tests);
    for (const test of tests) if (!known.has(test.id)) settle({ test, assertions: [] });
    return known;
  });
  // It rejects for whoever waits for a case.
  ended.catch(() => undefined);
  return {
    isWhole: cases === null,
    async outcomeOf(id) {
      const told = new Promise<CaseOutcome>((resolve) => waiting.set(id, resolve));
      const outcome = known.get(id) ?? (await Promise.race([told, ended.then((all) => all.get(id))]));
      if (outcome === undefined) throw new Error(`The run ended without the case ${id}`);
      return outcome;
    },
    result,
    async end() {
      stop.abort();
      await result;
    },
  };
}

import type { AttackCounts } from "../injection/injection-record.js";
import type { EnginePorts, ExtraTrials, RepeatedCase } from "../ports.js";
import type { SuiteResult, TestResult } from "../run-result.js";
import { repeatCases, type Repetition, type RepetitionSettings } from "./repeat-cases.js";
import type { FurtherTrials } from "./extra-trials.js";

/**
 * Runs the trials that are worth running once all cases are decided, in rounds: after each of them it is asked again what
 * is worth it. Returns the suites with the results next to their cases. Trials that do not come to the end of their round say
 * nothing yet, since a look at the comparison counts all trials of a round; a resumed run takes them over.
 */
export async function runExtraTrials(
  suites: readonly SuiteResult[],
  { kind, next }: ExtraTrials,
  settings: RepetitionSettings & Pick<EnginePorts, "emit">,
): Promise<readonly SuiteResult[]> {
  const { emit, isHalted } = settings;
  let known = suites;
  for (;;) {
    const cases = await next(known);
    // If nothing is left to run, nothing is left out.
    if (cases.length === 0 || isHalted()) return known;
    const trials = cases.reduce((sum, one) => sum + one.trials, 0);
    emit({ channel: "progress", type: `${kind}:start`, cases: cases.length, trials });
    const found = await repeatCases(cases, settings);
    emit({ channel: "progress", type: `${kind}:end` });
    known = kind === "confirm" ? withConfirmation(known, found) : withFurther(known, found, cases);
    if (kind === "confirm") return known;
  }
}

function withConfirmation(
  suites: readonly SuiteResult[],
  found: ReadonlyMap<string, Repetition>,
): readonly SuiteResult[] {
  return mapTests(suites, (test) => {
    const one = found.get(test.id);
    if (one === undefined) return test;
    const { isComplete: _isComplete, ...fresh } = one;
    return { ...test, fresh };
  });
}

/** A suite whose round was cut off stays at the look before. */
function withFurther(
  suites: readonly SuiteResult[],
  found: ReadonlyMap<string, Repetition>,
  cases: readonly RepeatedCase[],
): readonly SuiteResult[] {
  const asked = new Set(cases.map(({ caseId }) => caseId));
  return suites.map((suite) => {
    if (suite.status !== "run") return suite;
    const isCut = suite.tests.some(({ id }) => asked.has(id) && found.get(id)?.isComplete !== true);
    if (isCut) return suite;
    const [whole = suite] = mapTests([suite], (test) => {
      const one = found.get(test.id);
      return one === undefined || test.further === undefined ? test : { ...test, further: added(test.further, one) };
    });
    return whole;
  });
}

function added({ passes, trials, looks, attack, ...rest }: FurtherTrials, one: Repetition): FurtherTrials {
  const attacks = sumOf(attack, one.attack);
  return {
    ...rest,
    passes: passes + one.passes,
    trials: trials + one.trials,
    looks: looks + 1,
    ...(attacks === undefined ? {} : { attack: attacks }),
  };
}

function sumOf(one: AttackCounts | undefined, other: AttackCounts | undefined): AttackCounts | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    counted: one.counted + other.counted,
    done: one.done + other.done,
    tasks: one.tasks + other.tasks,
    succeeded: one.succeeded + other.succeeded,
  };
}

function mapTests(
  suites: readonly SuiteResult[],
  change: (test: Exclude<TestResult, { status: "skipped" }>) => TestResult,
): readonly SuiteResult[] {
  return suites.map((suite) => ({
    ...suite,
    tests: suite.tests.map((test) => (test.status === "skipped" ? test : change(test))),
  }));
}

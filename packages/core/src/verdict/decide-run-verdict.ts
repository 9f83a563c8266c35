import { casesOf } from "../engine/summary/cases-of.js";
import { createFigureCheck } from "../engine/injection/injection-rates.js";
import type { RunSummary, SuiteResult, TestResult } from "../engine/run-result.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { plural } from "../values/plural.js";
import { type GateRules, gatesOf } from "../gates/decide-gates.js";
import { nameSuites, placeOf, type FailuresRead, type GatePlace } from "../gates/gate-place.js";
import { definitionOf, gatesIn } from "../gates/registry.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { GateResult } from "../gates/gate-result.js";

export interface VerdictQuestion extends FailureQuestion {
  summary: RunSummary;
  rules: GateRules & { exitOn: "tests" | "gates" };
  /** What stopped the run: the user, or its deadline; null when it came to its end. */
  stoppedBy: KindlmError | null;
  /** Why not all cases were started; null when they were. */
  haltedBy: string | null;
  /** It is one shard of a run that has cases: whether any ran, and what gates decide, is seen when all are merged. */
  isPart: boolean;
}

export interface RunVerdict {
  verdict: "passed" | "failed";
  exitCode: 0 | 1;
  /** Why it failed, one phrase each; empty when it passed. */
  reasons: readonly string[];
}

/**
 * The one place that decides what is printed as the verdict, and the exit code.
 * By default any failed or errored case, broken suite, failed gate or interruption fails the run, and so does a run in
 * which nothing ran. With `exit_on: gates` failed cases are left to the gates that read them, critical ones excepted, and
 * errored ones to `gates.errored` where it is set, for the run or for their suite. A failed case that no evaluated gate
 * reads counts as it does by default: nothing else would.
 */
export function decideRunVerdict(question: VerdictQuestion): RunVerdict {
  const { suites, summary, gates, rules, stoppedBy, haltedBy, isPart } = question;
  const byGates = rules.exitOn === "gates";
  const failed = failuresIn(suites);
  const errored = byGates ? ungatedErrors(question) : summary.errored;
  const broken = suites.filter((suite) => suite.status === "skipped").length;
  const tripped = gates.filter((gate) => !gate.pass);
  const reasons = [
    ...(stoppedBy === null ? [] : [reasonOf(stoppedBy)]),
    ...(haltedBy !== null ? [`not all cases ran: ${haltedBy}`] : []),
    ...(byGates
      ? reasonsBesideGates(failed, question)
      : failed.length > 0
        ? [`${plural(failed.length, "test")} failed`]
        : []),
    ...(errored > 0 ? [`${plural(errored, "test")} errored`] : []),
    ...(broken > 0 ? [`${plural(broken, "suite")} could not run`] : []),
    ...tripped.map((gate) => `gate ${gate.message}`),
    ...(summary.total === 0 && !isPart
      ? ["no test ran: no case matches the filters (kindlm test --list shows all)"]
      : []),
    ...(summary.total > 0 && summary.total === summary.skipped && !isPart ? ["no test ran"] : []),
  ];
  return reasons.length === 0
    ? { verdict: "passed", exitCode: 0, reasons }
    : { verdict: "failed", exitCode: 1, reasons };
}

/** What fails the run of the failed cases, where the gates decide about all that they read. */
function reasonsBesideGates(failed: readonly TestResult[], question: VerdictQuestion): readonly string[] {
  const undecidedOf = createFailureCheck(question);
  const critical = failed.filter((test) => test.critical);
  const others = failed.filter((test) => !test.critical);
  const unread = others.filter((test) => undecidedOf(test) === "no gate");
  const uncompared = others.filter((test) => undecidedOf(test) === "not compared");
  return [
    ...(critical.length > 0 ? [`${plural(critical.length, "critical test")} failed`] : []),
    ...(unread.length > 0
      ? [
          `${plural(unread.length, "test")} failed, and no gate that was evaluated reads the failures of ${suitesOf(unread)}`,
        ]
      : []),
    ...(uncompared.length > 0
      ? [
          `${plural(uncompared.length, "test")} of ${suitesOf(uncompared)} failed without being compared with the baseline, and no other gate reads failures`,
        ]
      : []),
  ];
}

function suitesOf(tests: readonly TestResult[]): string {
  return nameSuites([...new Set(tests.map(({ suite }) => suite))]);
}

/** Errored cases that no gate is asked about: neither one of the run nor one of their suite. */
function ungatedErrors({ suites, summary, gates, isPart }: VerdictQuestion): number {
  const errorGates = gates.filter((gate) => definitionOf(gate)?.readsErrors === true);
  if (isPart || errorGates.some((gate) => gate.scope === "run")) return 0;
  const gated = new Set(errorGates.map((gate) => (gate.scope === "suite" ? gate.suite : null)));
  if (gated.size === 0) return summary.errored;
  let open = 0;
  for (const test of casesOf(suites.filter((suite) => !gated.has(suite.name))))
    if (test.status === "errored") open += 1;
  return open;
}

function reasonOf({ code, message }: KindlmError): string {
  return code === "ENGINE_ABORTED"
    ? "the run was interrupted"
    : `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

function failuresIn(suites: readonly SuiteResult[]): readonly TestResult[] {
  const failed: TestResult[] = [];
  for (const test of casesOf(suites)) if (countsAsFailure(test)) failed.push(test);
  return failed;
}

function countsAsFailure(test: TestResult): boolean {
  return test.status === "failed" && test.allowFailure === null;
}

interface FailureQuestion {
  suites: readonly SuiteResult[];
  gates: readonly GateResult[];
  rules: GateRules;
  comparison?: RunComparison | undefined;
  /** Of a shard no gate is evaluated yet: those that the config sets may decide after the merge. */
  isPart: boolean;
  /** A comparison names suites and cases as reports do. */
  redact(text: string): string;
}

/** Why no gate decides about a failed test: none reads the failures of its suite, or the one that does skips the test. */
export type Undecided = "no gate" | "not compared";

/**
 * With `exit_on: gates`, a failed test is left to the gates only if one of them was evaluated and reads it. A limit on
 * cost or on another suite says nothing about it. Returns null for a test about which a gate decides.
 */
export function createFailureCheck(question: FailureQuestion): (test: TestResult) => Undecided | null {
  const readsIn = question.isPart ? configuredReads(question) : evaluatedReads(question);
  const isCompared = question.isPart ? () => true : createComparedCheck(question);
  const figuresOf = createFigureCheck(question.suites);
  return (test) => {
    const reads = new Set([...readsIn(null), ...readsIn(test.suite)]);
    if (reads.has("all")) return null;
    const figures = figuresOf(test);
    if (figures.length > 0 && figures.every((figure) => reads.has(figure))) return null;
    if (!reads.has("compared")) return "no gate";
    return isCompared(test) ? null : "not compared";
  };
}

type ReadsIn = (place: GatePlace) => readonly FailuresRead[];

function evaluatedReads({ gates }: FailureQuestion): ReadsIn {
  const reads = new Map<GatePlace, FailuresRead[]>();
  for (const gate of gates) {
    const read = gate.evaluated === false ? undefined : definitionOf(gate)?.readsFailures;
    if (read !== undefined) reads.set(placeOf(gate), [...(reads.get(placeOf(gate)) ?? []), read]);
  }
  return (place) => reads.get(place) ?? [];
}

function configuredReads({ rules }: FailureQuestion): ReadsIn {
  return (place) => gatesIn(gatesOf(rules, place)).map(({ gate }) => gate.readsFailures);
}

/** New cases, and those that a fallback answered, are in no comparison, though they may fail. */
function createComparedCheck({ comparison, redact }: FailureQuestion): (test: TestResult) => boolean {
  const left = new Map<string, ReadonlySet<string>>();
  for (const suite of comparison?.suites ?? []) {
    if (suite.status !== "compared") continue;
    const uncompared = suite.uncompared.map(({ caseId }) => caseId);
    // Two suites may have one name once secrets are masked.
    const known = left.get(suite.suite) ?? [];
    left.set(suite.suite, new Set([...known, ...suite.added, ...suite.changedChecks, ...uncompared]));
  }
  return (test) => left.get(redact(test.suite))?.has(redact(test.id)) === false;
}

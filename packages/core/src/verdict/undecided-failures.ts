import type { RunComparison } from "../summary/comparison-result.js";
import type { GateResult } from "../gates/gate-result.js";
import type { TestResult } from "../engine/run-result.js";
import { gatesOf, type GateRules } from "../gates/decide-gates.js";
import { definitionOf, gatesIn } from "../gates/registry.js";
import { placeOf, type FailuresRead, type GatePlace } from "../gates/gate-place.js";

export interface FailureQuestion {
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
  return (test) => {
    const reads = new Set([...readsIn(null), ...readsIn(test.suite)]);
    if (reads.has("all")) return null;
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

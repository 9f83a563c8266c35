import { caseShape } from "../engine/case-result.js";
import { runFields, type SuiteResult } from "../engine/run-result.js";
import { suiteShape } from "../engine/suite-result.js";
import { mapErrors } from "../errors/error-shape.js";
import { writeAtomically } from "../files/write-atomically.js";
import { comparisonRulesShape } from "../plan/comparison-rules.js";
import { gateRulesShape } from "../gates/decide-gates.js";
import { redacted, type RedactedText, type Redactor } from "../redaction/redactor.js";
import type { Result } from "../result.js";
import { list, nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { integer, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { plainError } from "./plain-error.js";

/**
 * The version of `run.json`. A file of another version is not read. A test keeps the print of the shapes below next to it,
 * so that they cannot change without it.
 */
export const runFileVersion = 11;

/** Lines are masked together until they are so long, UTF-16 code units: one by one it would take several times as long. */
const maskedTogether = 16_384;

/** What a run was judged by, so that its parts can be judged together. */
const runRulesShape = record(
  { ...gateRulesShape.always, exitOn: oneOf(["tests", "gates"]) },
  { ...gateRulesShape.sometimes, comparison: comparisonRulesShape },
);
export type RunRules = Static<typeof runRulesShape>;

/** All that is known of a finished run but its suites. */
export const runHeadShape = record(
  {
    ...runFields.always,
    rules: runRulesShape,
    /** Why not all cases were started; null when they were. */
    haltedBy: nullable(text),
  },
  runFields.sometimes,
);
export type RunHead = Static<typeof runHeadShape>;

/** A run without its trials, as it is stored. */
export const runFileShape = record({
  version: integer,
  head: runHeadShape,
  suites: list(record({ suite: suiteShape, tests: list(caseShape) })),
});

export interface StoredRun {
  head: RunHead;
  suites: readonly SuiteResult[];
}

/**
 * Writes `run.json`: JSON whose first line holds all but the cases, so that a list of runs reads no more than that, and
 * in which every case has its own line.
 */
export function writeRunFile(
  path: string,
  shown: string,
  run: StoredRun,
  redactor: Pick<Redactor, "redactJson">,
): Promise<Result<void>> {
  return writeAtomically(path, shown, renderRunFile(run, redactor));
}

function* renderRunFile(
  { head, suites }: StoredRun,
  { redactJson }: Pick<Redactor, "redactJson">,
): Iterable<RedactedText> {
  const lineOf = (value: unknown): RedactedText => redactJson(JSON.stringify(value));
  yield redacted`{"version":${runFileVersion},"head":${lineOf(mapErrors(runHeadShape, head, plainError))},\n"suites":[`;
  const nextLine = redacted`,\n`;
  let beforeSuite = redacted`\n`;
  for (const { tests, ...suite } of suites) {
    const line = lineOf(mapErrors(suiteShape, suite, plainError));
    yield redacted`${beforeSuite}{"suite":${line},"tests":[`;
    beforeSuite = nextLine;
    let lines = "";
    let beforeTest = "\n";
    for (const test of tests) {
      lines += `${beforeTest}${JSON.stringify(mapErrors(caseShape, test, plainError))}`;
      beforeTest = ",\n";
      if (lines.length < maskedTogether) continue;
      yield redactJson(lines);
      lines = "";
    }
    yield redacted`${redactJson(lines)}\n]}`;
  }
  yield redacted`\n]}\n`;
}

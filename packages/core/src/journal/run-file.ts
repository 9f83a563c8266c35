import { caseShape } from "../engine/case-result.js";
import { runFields, type SuiteResult } from "../engine/run-result.js";
import { suiteShape } from "../engine/suite-result.js";
import { attempt, attemptSync } from "../errors/boundary.js";
import { mapErrors } from "../errors/error-shape.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { readFirstLine } from "../files/read-first-line.js";
import { readError, systemCodeOf } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import { comparisonRulesShape } from "../plan/comparison-rules.js";
import { gateRulesShape } from "../gates/decide-gates.js";
import { redacted, type RedactedText, type Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import { list, nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { integer, oneOf, text } from "../shape/scalars.js";
import { readStored } from "../shape/read-stored.js";
import { sayFlaw, type Flaw, type Static } from "../shape/shape.js";
import { isRecord } from "../values/json.js";
import { plainError, reviveError } from "./plain-error.js";
import { mebibyte, readText } from "../files/open-for-reading.js";

/** A run of 100,000 cases is a fifth of it; a string cannot be much longer. */
const mostBytes = 500 * mebibyte;

/**
 * The version of `run.json`. A file of another version is not read. A test keeps the print of the shapes below next to it,
 * so that they cannot change without it.
 */
export const runFileVersion = 8;

/** What a run was judged by, so that its parts can be judged together. */
const runRulesShape = record(
  { ...gateRulesShape.always, exitOn: oneOf(["tests", "gates"]) },
  { ...gateRulesShape.sometimes, comparison: comparisonRulesShape },
);
export type RunRules = Static<typeof runRulesShape>;

/** All that is known of a finished run but its suites. */
const runHeadShape = record(
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
    let beforeTest = redacted`\n`;
    for (const test of tests) {
      yield beforeTest;
      yield lineOf(mapErrors(caseShape, test, plainError));
      beforeTest = nextLine;
    }
    yield redacted`\n]}`;
  }
  yield redacted`\n]}\n`;
}

/** Reads `run.json`. Fails with RUN_NOT_FOUND when the run never came to its end, and with STORE_CORRUPT. */
export async function readRunFile(path: string, shown: string, id: string): Promise<Result<StoredRun>> {
  const content = await attempt(
    () => readText(path, mostBytes),
    (cause) => (systemCodeOf(cause) === "ENOENT" ? neverEnded(id) : readError(shown, cause)),
  );
  if (!content.success) return content;
  const parsed = parse(content.data);
  if (!parsed.success || !isRecord(parsed.data)) return failure(damaged(shown));
  const { version } = parsed.data;
  if (typeof version === "number" && version !== runFileVersion) return failure(otherVersion(shown));
  const read = readStored(runFileShape, parsed.data);
  if (!read.success) return failure(damaged(shown, read.error));
  const { head, suites } = mapErrors(runFileShape, read.data, reviveError);
  return success({ head, suites: suites.map(({ suite, tests }) => ({ ...suite, tests })) });
}

/** The first line of `run.json`, without the cases; null where there is none that can be read. */
export async function readRunHead(path: string): Promise<RunHead | null> {
  const parsed = parse(`${(await readFirstLine(path)) ?? ""}"suites":[]}`);
  if (!parsed.success || !isRecord(parsed.data) || parsed.data["version"] !== runFileVersion) return null;
  const read = readStored(runHeadShape, parsed.data["head"]);
  return read.success ? mapErrors(runHeadShape, read.data, reviveError) : null;
}

function parse(content: string): Result<unknown, null> {
  return attemptSync(
    (): unknown => JSON.parse(content),
    () => null,
  );
}

function neverEnded(run: string) {
  return kindlmError("RUN_NOT_FOUND", `The run ${run} did not finish`, { details: { run, isUnfinished: true } });
}

function damaged(shown: string, flaw?: Flaw) {
  const message = `${shown} is damaged${flaw === undefined ? "" : `: ${sayFlaw(flaw)}`}`;
  return kindlmError("STORE_CORRUPT", message, { details: { path: shown } });
}

function otherVersion(shown: string) {
  return kindlmError("STORE_CORRUPT", `${shown} was written by another version of KindLM`, {
    details: { path: shown },
  });
}

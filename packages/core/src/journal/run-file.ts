import type { RunComparison } from "../summary/comparison-result.js";
import type { RunResult, SuiteResult, TestResult } from "../engine/run-result.js";
import { attempt, attemptSync } from "../errors/boundary.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { readFirstLine } from "../files/read-first-line.js";
import { readError, systemCodeOf } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import type { ComparisonRules } from "../plan/comparison-rules.js";
import type { GateRules } from "../gates/decide-gates.js";
import { redacted, type RedactedText, type Redactor } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { plainError, reviveError } from "./plain-error.js";
import { mebibyte, readText } from "../files/open-for-reading.js";

/** A run of 100,000 cases is a fifth of it; a string cannot be much longer. */
const mostBytes = 500 * mebibyte;

/** The version of `run.json`. A file of another version is not read. */
const runFileVersion = 1;

/** What a run was judged by, so that its parts can be judged together. */
export interface RunRules extends GateRules {
  exitOn: "tests" | "gates";
  /** Absent in runs of versions before there were baselines. */
  comparison?: ComparisonRules;
}

/** All that is known of a finished run but its suites. */
export interface RunHead extends Omit<RunResult, "suites" | "trials"> {
  rules: RunRules;
  /** Why not all cases were started; null when they were. */
  haltedBy: string | null;
}

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
  yield redacted`{"version":${runFileVersion},"head":${lineOf(storableHead(head))},\n"suites":[`;
  const nextLine = redacted`,\n`;
  let beforeSuite = redacted`\n`;
  for (const { tests, ...suite } of suites) {
    const line = lineOf("error" in suite ? { ...suite, error: plainError(suite.error) } : suite);
    yield redacted`${beforeSuite}{"suite":${line},"tests":[`;
    beforeSuite = nextLine;
    let beforeTest = redacted`\n`;
    for (const test of tests) {
      yield beforeTest;
      yield lineOf(storable(test));
      beforeTest = nextLine;
    }
    yield redacted`\n]}`;
  }
  yield redacted`\n]}\n`;
}

function storableHead(head: RunHead): RunHead {
  return head.comparison === undefined ? head : { ...head, comparison: mapErrors(head.comparison, plainError) };
}

/** A comparison with what is made of its errors. */
function mapErrors({ verdict, suites }: RunComparison, map: (error: KindlmError) => KindlmError): RunComparison {
  const mapped = suites.map((suite) => (suite.status === "unreadable" ? { ...suite, error: map(suite.error) } : suite));
  return { verdict, suites: mapped };
}

function storable(test: TestResult): TestResult {
  return test.status === "errored" ? { ...test, error: plainError(test.error) } : test;
}

/** Reads `run.json`. Fails with RUN_NOT_FOUND when the run never came to its end, and with STORE_CORRUPT. */
export async function readRunFile(path: string, shown: string, id: string): Promise<Result<StoredRun>> {
  const text = await attempt(
    () => readText(path, mostBytes),
    (cause) => (systemCodeOf(cause) === "ENOENT" ? neverEnded(id) : readError(shown, cause)),
  );
  if (!text.success) return text;
  const parsed = parse(text.data);
  if (!parsed.success || !isRecord(parsed.data)) return failure(damaged(shown));
  const { version, head, suites } = parsed.data;
  if (version !== runFileVersion) return failure(otherVersion(shown));
  if (!isRecord(head) || !Array.isArray(suites)) return failure(damaged(shown));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- KindLM wrote the file, whole or not at all
  const stored = { head, suites } as unknown as { head: RunHead; suites: Parameters<typeof toSuite>[0][] };
  return success({ head: toHead(stored.head), suites: stored.suites.map(toSuite) });
}

/** The first line of `run.json`, without the cases; null where there is none that can be read. */
export async function readRunHead(path: string): Promise<RunHead | null> {
  const parsed = parse(`${(await readFirstLine(path)) ?? ""}"suites":[]}`);
  if (!parsed.success || !isRecord(parsed.data) || parsed.data["version"] !== runFileVersion) return null;
  const { head } = parsed.data;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- KindLM wrote the file, whole or not at all
  return isRecord(head) ? toHead(head as unknown as RunHead) : null;
}

function toHead(stored: RunHead): RunHead {
  return stored.comparison === undefined
    ? stored
    : { ...stored, comparison: mapErrors(stored.comparison, reviveError) };
}

function parse(text: string): Result<unknown, null> {
  return attemptSync(
    (): unknown => JSON.parse(text),
    () => null,
  );
}

function toSuite(stored: { suite: SuiteResult; tests: readonly TestResult[] }): SuiteResult {
  const { suite } = stored;
  const tests = stored.tests.map((test) =>
    test.status === "errored" ? { ...test, error: reviveError(test.error) } : test,
  );
  return suite.status === "skipped" ? { ...suite, error: reviveError(suite.error), tests } : { ...suite, tests };
}

function neverEnded(run: string) {
  return kindlmError("RUN_NOT_FOUND", `The run ${run} never came to its end`, { details: { run, isUnfinished: true } });
}

function damaged(shown: string) {
  return kindlmError("STORE_CORRUPT", `${shown} is damaged`, { details: { path: shown } });
}

function otherVersion(shown: string) {
  return kindlmError("STORE_CORRUPT", `${shown} was written by another version of KindLM`, {
    details: { path: shown },
  });
}

import { caseShape } from "../engine/case-result.js";
import type { TestResult } from "../engine/run-result.js";
import { suiteShape, type SuiteHead } from "../engine/suite-result.js";
import { attempt, attemptSync } from "../errors/boundary.js";
import { mapErrors } from "../errors/error-shape.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { readFirstLine } from "../files/read-first-line.js";
import { readLines } from "../files/read-lines.js";
import { readError, systemCodeOf } from "../files/store-error.js";
import { failure, success, type Result } from "../result.js";
import { readStored } from "../shape/read-stored.js";
import { sayFlaw, type Flaw, type Shape } from "../shape/shape.js";
import { isRecord } from "../values/json.js";
import { reviveError } from "./plain-error.js";
import { runFileVersion, runHeadShape, type RunHead, type StoredRun } from "./run-file.js";

/** What is wrong with a line. Null: with its JSON, or with its place. */
type LineFlaw = Flaw | "version" | null;

/**
 * Reads `run.json` line by line: that of a large run is longer than a string can be. Fails with RUN_NOT_FOUND when the run
 * never came to its end, and with STORE_CORRUPT.
 */
export async function readRunFile(path: string, shown: string, id: string): Promise<Result<StoredRun>> {
  const tests: TestResult[][] = [];
  const scanned = await scanRunFile(path, shown, id, (test, _line, suite) => {
    (tests[suite] ??= []).push(test);
  });
  if (!scanned.success) return scanned;
  const { head, suites } = scanned.data;
  return success({ head, suites: suites.map((suite, index) => ({ ...suite, tests: tests[index] ?? [] })) });
}

/** What a run file has besides its cases. */
export interface RunFileFrame {
  head: RunHead;
  suites: readonly SuiteHead[];
}

/** Receives each case with its line, and the number of its suite. */
type OnCase = (test: TestResult, line: string, suite: number) => void;

/** As {@link readRunFile}, but hands the cases over one by one, for a caller that does not keep them. */
export async function scanRunFile(
  path: string,
  shown: string,
  id: string,
  onCase: OnCase,
): Promise<Result<RunFileFrame>> {
  const read = await attempt(
    () => readParts(path, onCase),
    (cause) => (systemCodeOf(cause) === "ENOENT" ? neverEnded(id) : readError(shown, cause)),
  );
  if (!read.success) return read;
  return read.data.success ? read.data : failure(damaged(shown, read.data.error));
}

/** A case again from its line, which was read without a flaw before; undefined for any other line. */
export function reviveCase(line: string): TestResult | undefined {
  const test = partOf(caseShape, parse(line), "");
  return test.success ? test.data : undefined;
}

/** The first line of `run.json`, without the cases; null where there is none that can be read. */
export async function readRunHead(path: string): Promise<RunHead | null> {
  const read = headOf((await readFirstLine(path)) ?? "");
  return read.success ? read.data : null;
}

async function readParts(path: string, onCase: OnCase): Promise<Result<RunFileFrame, LineFlaw>> {
  const lines = readLines(path)[Symbol.asyncIterator]();
  const parts = await partsOf(async () => {
    const read = await lines.next();
    return read.done === true ? null : read.value.line;
  }, onCase);
  // Closes the file if lines are left.
  await lines.return?.();
  return parts;
}

/** The run in the lines that `writeRunFile` writes; null stands behind the last one. */
async function partsOf(
  nextLine: () => Promise<string | null>,
  onCase: OnCase,
): Promise<Result<RunFileFrame, LineFlaw>> {
  const next = async (): Promise<string> => (await nextLine()) ?? "";
  const head = headOf(await next());
  if (!head.success) return head;
  if ((await next()) !== '"suites":[') return failure(null);
  const suites: SuiteHead[] = [];
  for (let line = await next(); line !== "]}"; line = await next()) {
    const suite = suiteOf(line, `suites[${suites.length}].suite`);
    if (!suite.success) return suite;
    let tests = 0;
    for (let row = await next(); row !== "]}" && row !== "]},"; row = await next()) {
      const written = withoutComma(row);
      const test = partOf(caseShape, parse(written), `suites[${suites.length}].tests[${tests}]`);
      if (!test.success) return test;
      onCase(test.data, written, suites.length);
      tests += 1;
    }
    suites.push(suite.data);
  }
  return (await nextLine()) === null ? success({ head: head.data, suites }) : failure(null);
}

function headOf(line: string): Result<RunHead, LineFlaw> {
  const parsed = parse(`${line}"suites":[]}`);
  if (!isRecord(parsed)) return failure(null);
  const { version } = parsed;
  if (typeof version === "number" && version !== runFileVersion) return failure("version");
  return version === runFileVersion ? partOf(runHeadShape, parsed["head"], "head") : failure(null);
}

function suiteOf(line: string, way: string): Result<SuiteHead, LineFlaw> {
  const parsed = parse(`${line}]}`);
  return isRecord(parsed) ? partOf(suiteShape, parsed["suite"], way) : failure(null);
}

/** A part of the file, and the way to it. Undefined stands for what could not be parsed. */
function partOf<T>(shape: Shape<T>, stored: unknown, way: string): Result<T, LineFlaw> {
  if (stored === undefined) return failure(null);
  const read = readStored(shape, stored);
  if (read.success) return success(mapErrors(shape, read.data, reviveError));
  const { path, problem } = read.error;
  return failure({ path: /^(\[|$)/.test(path) ? `${way}${path}` : `${way}.${path}`, problem });
}

const withoutComma = (line: string): string => (line.endsWith(",") ? line.slice(0, -1) : line);

function parse(content: string): unknown {
  const parsed = attemptSync(
    (): unknown => JSON.parse(content),
    () => null,
  );
  return parsed.success ? parsed.data : undefined;
}

function neverEnded(run: string): KindlmError {
  return kindlmError("RUN_NOT_FOUND", `The run ${run} did not finish`, { details: { run, isUnfinished: true } });
}

function damaged(shown: string, flaw: LineFlaw): KindlmError {
  const details = { path: shown };
  if (flaw === "version") {
    return kindlmError("STORE_CORRUPT", `${shown} was written by another version of KindLM`, { details });
  }
  const why = flaw === null ? "" : `: ${sayFlaw(flaw)}`;
  return kindlmError("STORE_CORRUPT", `${shown} is damaged${why}`, { details });
}

import path from "node:path";
import type { SuiteResult } from "../engine/run-result.js";
import { attempt } from "../errors/boundary.js";
import { readError } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import { mostDurationsBytes, parseDurations, renderDurations, type Durations } from "../plan/shard/durations.js";
import type { Redactor } from "../redaction/redactor.js";
import type { Result } from "../result.js";
import { readText } from "../files/open-for-reading.js";

/** Writes down how long the trials of each case took, so that the next run can be split evenly. */
export async function writeDurations(
  file: string,
  suites: readonly Pick<SuiteResult, "name">[],
  measured: Durations,
  { cwd, redactor }: { cwd: string; redactor: Pick<Redactor, "redactJson"> },
): Promise<Result<void>> {
  const text = await attempt(
    () => readText(file, mostDurationsBytes),
    (cause) => readError(file, cause),
  );
  const before = parseDurations(text.success ? text.data : "");
  const durations = updateDurations(before.success ? before.data : new Map(), suites, measured);
  return writeAtomically(file, path.relative(cwd, file) || file, [redactor.redactJson(renderDurations(durations))]);
}

/** What is known of suites that were not run is kept; of the others only what is measured now. */
export function updateDurations(
  before: Durations,
  suites: readonly Pick<SuiteResult, "name">[],
  measured: Durations,
): Durations {
  const names = suites.map(({ name }) => `${name}/`);
  const kept = [...before].filter(([caseId]) => !names.some((name) => caseId.startsWith(name)));
  return new Map([...kept, ...measured]);
}

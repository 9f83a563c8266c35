import type { TrialResult } from "../engine/run-result.js";
import { attemptSync } from "../errors/boundary.js";
import { isRecord } from "../values/json.js";
import type { JournalRecord } from "./journal-record.js";
import { reviveError } from "./plain-error.js";
import { hadErrors, mapErrors } from "./trial-errors.js";

const kinds: ReadonlySet<unknown> = new Set<JournalRecord["kind"]>(["run", "session", "trial", "intent", "outcome"]);

/** The record of a line; null for what KindLM did not write. */
export function decodeRecord(line: string): JournalRecord | null {
  const parsed = attemptSync<unknown, null>(
    () => JSON.parse(line),
    () => null,
  );
  if (!parsed.success || !isRecord(parsed.data) || !kinds.has(parsed.data["kind"])) return null;
  if (parsed.data["kind"] === "trial" && !isTrial(parsed.data["trial"])) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- KindLM wrote the line, whole or not at all
  return parsed.data as unknown as JournalRecord;
}

/** A stored trial as it was, its errors Errors again. */
export function reviveTrial(trial: TrialResult): TrialResult {
  return hadErrors(trial) ? mapErrors(trial, reviveError) : trial;
}

function isTrial(value: unknown): boolean {
  return isRecord(value) && typeof value["caseId"] === "string" && typeof value["trial"] === "number";
}

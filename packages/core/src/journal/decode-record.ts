import type { TrialResult } from "../engine/run-result.js";
import { trialShape } from "../engine/trial-result.js";
import { attemptSync } from "../errors/boundary.js";
import { mapErrors } from "../errors/error-shape.js";
import { failure, success, type Result } from "../result.js";
import { readStored } from "../shape/read-stored.js";
import type { Flaw } from "../shape/shape.js";
import { isRecord } from "../values/json.js";
import { journalRecordShape, journalVersion, type JournalRecord } from "./journal-record.js";
import { reviveError } from "./plain-error.js";

/** Why a line is not a record. */
export type LineFlaw =
  /** No JSON, as where it was torn off. */
  | { kind: "unparseable" }
  /** Another KindLM wrote it, which says so in the first line. */
  | { kind: "version"; writtenBy: string }
  | { kind: "flawed"; flaw: Flaw };

/** The record of a line. Believes nothing: a journal may be old, or somebody may have edited it. */
export function decodeRecord(line: string): Result<JournalRecord, LineFlaw> {
  const parsed = attemptSync<unknown, LineFlaw>(
    () => JSON.parse(line),
    () => ({ kind: "unparseable" }),
  );
  if (!parsed.success) return parsed;
  const other = otherVersion(parsed.data);
  if (other !== null) return failure(other);
  const read = readStored(journalRecordShape, parsed.data);
  return read.success ? success(read.data) : failure({ kind: "flawed", flaw: read.error });
}

/** A header of another version need not have the shape of this one. */
function otherVersion(line: unknown): LineFlaw | null {
  if (!isRecord(line) || line["kind"] !== "run") return null;
  const { version, kindlm } = line;
  if (typeof version !== "number" || version === journalVersion || typeof kindlm !== "string") return null;
  return { kind: "version", writtenBy: kindlm };
}

/** A stored trial as it was, its errors Errors again. */
export function reviveTrial(trial: TrialResult): TrialResult {
  return mapErrors(trialShape, trial, reviveError);
}

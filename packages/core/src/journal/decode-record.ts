import type { TrialResult } from "../engine/run-result.js";
import { attemptSync } from "../errors/boundary.js";
import type { AttemptRecord } from "../transcript/attempt.js";
import { isRecord } from "../values/json.js";
import type { JournalRecord } from "./journal-record.js";
import { reviveError } from "./plain-error.js";

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
  if (trial.status !== "errored") return trial;
  return { ...trial, error: reviveError(trial.error), turns: trial.turns.map(withErrors) };
}

function withErrors<T extends { attempts: readonly AttemptRecord[] }>(turn: T): T {
  const attempts = turn.attempts.map((one) => (one.error === null ? one : { ...one, error: reviveError(one.error) }));
  return { ...turn, attempts };
}

function isTrial(value: unknown): boolean {
  return isRecord(value) && typeof value["caseId"] === "string" && typeof value["trial"] === "number";
}

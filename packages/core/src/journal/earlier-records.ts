import type { EarlierTrial, EarlierTrials } from "../engine/ports.js";
import { maskedText } from "../engine/mask-sensitive.js";
import { paidCostOf } from "../engine/summary/known-cost.js";
import type { TrialResult } from "../engine/run-result.js";
import { attributionOf } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { TestFilters } from "../plan/run-options.js";
import { mask } from "../redaction/redactor.js";
import { decodeRecord, reviveTrial } from "./decode-record.js";
import { createEffectCalls } from "./effect-calls.js";
import type { LinePlace } from "./group-appender.js";
import type { JournalRecord, TrialIdentity } from "./journal-record.js";
import type { LineReader } from "./line-reader.js";

export interface EarlierTrialsSettings {
  /** False if none of the trials can be used. */
  isReusable: boolean;
  reader: LineReader;
  identify(planned: PlannedCase): TrialIdentity;
  redact(text: string): string;
  onTaken(planned: PlannedCase, trial: number, place: LinePlace): void;
}

/** The last record of a trial. */
interface StoredTrial {
  place: LinePlace;
  identity: TrialIdentity;
  costUsd: number;
  isUsable: boolean;
}

/** What the earlier sessions of a run left in its journal. */
export class EarlierRecords {
  /** The calls of tools with effects; none of them is made again. */
  readonly effects = createEffectCalls();
  /** The options of each session, if it had its own. */
  readonly filters: TestFilters[] = [];
  readonly #stored = new Map<string, StoredTrial>();
  /** Trials that another record of the same trial has taken the place of. */
  readonly #replaced: LinePlace[] = [];
  #spentUsd = 0;
  #sessions = 0;
  #durationMs = 0;
  #sessionStart = 0;
  #latest = 0;

  /** How often the run was started so far. */
  get sessions(): number {
    return this.#sessions;
  }

  /** How long its sessions took together, as far as their records show, milliseconds. */
  get durationMs(): number {
    return this.#durationMs + Math.max(0, this.#latest - this.#sessionStart);
  }

  /** Takes in the journal, record by record. */
  add(record: JournalRecord, place: LinePlace): void {
    if (record.kind === "run") {
      this.filters.push(record.options.filters ?? {});
      return this.#beginSession(Date.parse(record.startedAt));
    }
    if (record.kind === "session") {
      if (record.filters !== undefined) this.filters.push(record.filters);
      return this.#beginSession(record.at);
    }
    this.#latest = record.at;
    if (record.kind === "intent") return this.effects.began(record);
    if (record.kind === "outcome") return this.effects.answered(record, place);
    const { trial, identity } = record;
    const key = keyOf(trial.caseId, trial.trial);
    const before = this.#stored.get(key);
    const costUsd = paidCostOf(trial);
    this.#spentUsd += costUsd;
    // Its conversation was paid for once.
    if (before !== undefined && record.isRescored === true) this.#spentUsd -= before.costUsd;
    else if (before !== undefined) this.#replaced.push(before.place);
    this.#stored.set(key, { place, identity, costUsd, isUsable: isDecided(trial) || awaitsJudge(trial) });
  }

  /** Ready for the engine. `onTaken` hears where the trials stand that need not be run again. */
  toTrials(settings: EarlierTrialsSettings): StoredTrials {
    return new StoredTrials(this.#stored, this.#replaced, this.#spentUsd, settings);
  }

  #beginSession(at: number): void {
    this.#durationMs = this.durationMs;
    this.#sessions += 1;
    this.#sessionStart = at;
    this.#latest = at;
  }
}

/** Trials of earlier sessions of the same run, which are read at once. */
class StoredTrials implements EarlierTrials {
  readonly spentUsd: number;
  readonly #stored: Map<string, StoredTrial>;
  readonly #replaced: readonly LinePlace[];
  readonly #settings: EarlierTrialsSettings;

  constructor(
    stored: Map<string, StoredTrial>,
    replaced: readonly LinePlace[],
    spentUsd: number,
    settings: EarlierTrialsSettings,
  ) {
    this.spentUsd = spentUsd;
    this.#stored = stored;
    this.#replaced = replaced;
    this.#settings = settings;
  }

  take(planned: PlannedCase, trial: number): EarlierTrial | null {
    const { isReusable, identify, redact, onTaken } = this.#settings;
    const key = keyOf(redact(planned.id), trial);
    const found = this.#stored.get(key);
    if (!isReusable || found === undefined) return null;
    const stands = !found.isUsable && planned.leftOut !== undefined;
    if (!found.isUsable && !stands) return null;
    const identity = identify(planned);
    if (identity.agentHash !== found.identity.agentHash) return null;
    if (identity.setupHash !== found.identity.setupHash) return null;
    const line = this.#read(found.place);
    const kept = trialIn(line);
    if (kept === null) return null;
    if (stands) {
      this.#stored.delete(key);
      return { trial: { ...kept, caseId: planned.id }, isScored: false, stands };
    }
    const isSame = kept.status === "errored" || identity.scoringHash === found.identity.scoringHash;
    const isScored = isSame && !awaitsJudge(kept);
    if (!isScored && isMasked(line)) return null;
    this.#stored.delete(key);
    if (isScored) onTaken(planned, trial, found.place);
    return { trial: { ...kept, caseId: planned.id }, isScored };
  }

  *left(): Generator<TrialResult> {
    for (const place of [...this.#replaced, ...[...this.#stored.values()].map((one) => one.place)]) {
      const trial = trialIn(this.#read(place));
      if (trial !== null) yield trial;
    }
  }

  #read(place: LinePlace): string {
    const line = this.#settings.reader.read(place);
    return line.success ? line.data : "";
  }
}

function keyOf(caseId: string, trial: number): string {
  return `${trial}\n${caseId}`;
}

/** What went wrong outside may go well now; what the agent did, it did. */
export function isDecided(trial: TrialResult): boolean {
  return trial.status !== "errored" || attributionOf(trial.error) === "agent" || cannotContinue(trial);
}

/** Nothing but a run from its start can decide it, which would make its calls with effects again. */
function cannotContinue({ error }: TrialResult): boolean {
  return error?.code === "ENGINE_ABORTED" && error.details?.resumedCalls !== undefined;
}

/** What was masked cannot be judged again: an assertion would no longer find what it is there to find. */
function isMasked(line: string): boolean {
  return line.includes(mask) || line.includes(maskedText);
}

function trialIn(line: string): TrialResult | null {
  const record = decodeRecord(line);
  return record.success && record.data.kind === "trial" ? reviveTrial(record.data.trial) : null;
}

/**
 * True for a trial whose conversation came to its end and that only a judge kept from its verdict: it need not be held
 * again to be judged.
 */
export function awaitsJudge({ status, error, assertions }: TrialResult): boolean {
  if (status !== "errored" || error.code !== "JUDGE_EVAL_ERROR") return false;
  return assertions.some((assertion) => assertion.error?.code === "JUDGE_EVAL_ERROR");
}

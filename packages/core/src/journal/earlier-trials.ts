import type { EarlierTrial, EarlierTrials } from "../engine/ports.js";
import { awaitsJudge } from "../engine/awaits-judge.js";
import { maskedText } from "../engine/mask-sensitive.js";
import { paidCostOf } from "../engine/summary/known-cost.js";
import type { TrialResult } from "../engine/run-result.js";
import { attributionOf } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { TestFilters } from "../plan/run-options.js";
import { mask } from "../redaction/redactor.js";
import { decodeRecord, reviveTrial } from "./decode-record.js";
import { createEffectCalls, type EffectCalls } from "./effect-calls.js";
import type { LinePlace } from "./group-appender.js";
import type { JournalRecord, TrialIdentity } from "./journal-record.js";
import type { LineReader } from "./line-reader.js";

/** What the earlier sessions of a run left in its journal. */
export interface EarlierRecords {
  /** Takes in the journal, record by record. */
  add(record: JournalRecord, place: LinePlace): void;
  /** What each session was asked for, as far as it was asked for anything of its own. */
  readonly filters: readonly TestFilters[];
  /** The calls of tools with effects; none of them is made again. */
  effects: EffectCalls;
  /** How often the run was begun so far. */
  readonly sessions: number;
  /** How long its sessions took together, as far as their records tell, milliseconds. */
  readonly durationMs: number;
  /** Ready for the engine. `onTaken` hears where the trials stand that need not be run again. */
  toTrials(ports: EarlierPorts): StoredEarlierTrials;
}

/** Trials of earlier sessions of the same run, which are read at once. */
interface StoredEarlierTrials extends EarlierTrials {
  take(planned: PlannedCase, trial: number): EarlierTrial | null;
}

export interface EarlierPorts {
  /** False when none of the trials can be used any more. */
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

export function createEarlierRecords(): EarlierRecords {
  const stored = new Map<string, StoredTrial>();
  /** Trials that another record of the same trial has taken the place of. */
  const replaced: LinePlace[] = [];
  const effects = createEffectCalls();
  const filters: TestFilters[] = [];
  let spentUsd = 0;
  let sessions = 0;
  let durationMs = 0;
  let sessionStart = 0;
  let latest = 0;

  const beginSession = (at: number): void => {
    durationMs += Math.max(0, latest - sessionStart);
    sessions += 1;
    sessionStart = at;
    latest = at;
  };

  return {
    effects,
    filters,
    get sessions() {
      return sessions;
    },
    get durationMs() {
      return durationMs + Math.max(0, latest - sessionStart);
    },
    add(record, place) {
      if (record.kind === "run") {
        filters.push(record.options.filters ?? {});
        return beginSession(Date.parse(record.startedAt));
      }
      if (record.kind === "session") {
        if (record.filters !== undefined) filters.push(record.filters);
        return beginSession(record.at);
      }
      latest = record.at;
      if (record.kind === "intent") return effects.began(record);
      if (record.kind === "outcome") return effects.answered(record, place);
      const { trial, identity } = record;
      const key = keyOf(trial.caseId, trial.trial);
      const before = stored.get(key);
      const costUsd = paidCostOf(trial);
      spentUsd += costUsd;
      // Its conversation was paid for once.
      if (before !== undefined && record.isRescored === true) spentUsd -= before.costUsd;
      else if (before !== undefined) replaced.push(before.place);
      stored.set(key, { place, identity, costUsd, isUsable: isDecided(trial) || awaitsJudge(trial) });
    },
    toTrials({ isReusable, reader, identify, redact, onTaken }) {
      const read = (place: LinePlace): string => {
        const line = reader.read(place);
        return line.success ? line.data : "";
      };
      return {
        spentUsd,
        take(planned, trial): EarlierTrial | null {
          const key = keyOf(redact(planned.id), trial);
          const found = stored.get(key);
          if (!isReusable || found === undefined) return null;
          const stands = !found.isUsable && planned.leftOut !== undefined;
          if (!found.isUsable && !stands) return null;
          const identity = identify(planned);
          if (identity.agentHash !== found.identity.agentHash) return null;
          if (identity.setupHash !== found.identity.setupHash) return null;
          const line = read(found.place);
          const kept = trialIn(line);
          if (kept === null) return null;
          if (stands) {
            stored.delete(key);
            return { trial: { ...kept, caseId: planned.id }, isScored: false, stands };
          }
          const isSame = kept.status === "errored" || identity.scoringHash === found.identity.scoringHash;
          const isScored = isSame && !awaitsJudge(kept);
          if (!isScored && isMasked(line)) return null;
          stored.delete(key);
          if (isScored) onTaken(planned, trial, found.place);
          return { trial: { ...kept, caseId: planned.id }, isScored };
        },
        *left() {
          for (const place of [...replaced, ...[...stored.values()].map((one) => one.place)]) {
            const trial = trialIn(read(place));
            if (trial !== null) yield trial;
          }
        },
      };
    },
  };
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
  return record?.kind === "trial" ? reviveTrial(record.trial) : null;
}

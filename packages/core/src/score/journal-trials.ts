import { maskedText } from "../engine/mask-sensitive.js";
import type { JournalRecord, TrialIdentity } from "../journal/journal-record.js";
import { mask } from "../redaction/redactor.js";
import type { FoundTrial, FoundTrials } from "./found-trials.js";
import type { TranscriptSource } from "./transcript-source.js";

/**
 * Takes in the lines of a journal. Of several records of one trial the last one counts; the confirmation trials of a suspect case
 * with is left out.
 */
export interface JournalTrials {
  /** `line`: the text of the record. */
  add(record: JournalRecord, place: FoundTrial["place"], line: string): void;
  /** Hands the trials over, in the order in which they stand there. `takes`: whether a case is in the run. */
  moveTo(found: FoundTrials, takes: (caseId: string) => boolean): { unknown: readonly string[]; count: number };
}

export function createJournalTrials(source: TranscriptSource): JournalTrials {
  const latest = new Map<string, FoundTrial & { caseId: string }>();
  const identities = new Map<string, TrialIdentity>();
  /** Very many trials have the same few identities. */
  const shared = ({ agentHash, setupHash, scoringHash }: TrialIdentity): TrialIdentity => {
    const key = `${agentHash} ${setupHash} ${scoringHash}`;
    const known = identities.get(key) ?? { agentHash, setupHash, scoringHash };
    identities.set(key, known);
    return known;
  };
  return {
    add(record, place, line) {
      if (record.kind !== "trial") return;
      const { trial, identity } = record;
      if (trial.fresh === true) return;
      const isMasked = line.includes(mask) || line.includes(maskedText);
      const { caseId } = trial;
      const own = { trial: trial.trial, identity: shared(identity), isMasked };
      latest.set(`${trial.trial}\n${caseId}`, { caseId, source, place, record: own });
    },
    moveTo(found, takes) {
      const unknown = new Set<string>();
      let count = 0;
      for (const { caseId, ...trial } of latest.values()) {
        if (takes(caseId)) {
          found.add(caseId, trial);
          count += 1;
        } else unknown.add(caseId);
      }
      return { unknown: [...unknown], count };
    },
  };
}

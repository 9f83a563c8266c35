import type { LinePlace } from "../files/read-lines.js";
import type { TrialIdentity } from "../journal/journal-record.js";
import type { TranscriptSource } from "./transcript-source.js";

/** Where a recorded trial stands. */
export interface FoundTrial {
  source: TranscriptSource;
  place: LinePlace;
  /** What KindLM noted with it; null for a transcript of another program. */
  record: FoundRecord | null;
}

export interface FoundRecord {
  /** From 1 within its case. */
  trial: number;
  identity: TrialIdentity;
  /** Something in it was masked, so that assertions would no longer find what they are there to find. */
  isMasked: boolean;
}

/** Recorded trials by the id of their case. Holds where they stand, and nothing of what was said. */
export interface FoundTrials {
  add(caseId: string, found: FoundTrial): void;
  /** In the order in which they came. */
  of(caseId: string): readonly FoundTrial[];
}

const none: readonly FoundTrial[] = [];

export function createFoundTrials(): FoundTrials {
  const byCase = new Map<string, FoundTrial[]>();
  return {
    add(caseId, found) {
      const before = byCase.get(caseId);
      if (before === undefined) byCase.set(caseId, [found]);
      else before.push(found);
    },
    of: (caseId) => byCase.get(caseId) ?? none,
  };
}

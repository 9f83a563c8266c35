import { canonicalJson } from "../values/canonical-json.js";
import type { IntentRecord, OutcomeRecord } from "./journal-record.js";

/** A call of a tool with effects that an earlier session began, in a trial that it did not finish. */
export interface BegunCall {
  agentHash: string;
  setupHash: string;
  /** What the tool answered; undefined when nobody knows. */
  outcome: unknown;
}

/** Tells one call of a trial from the others, however often the same one is made. */
export function callKey(tool: string, args: unknown, occurrence: number): string {
  return `${tool}\n${occurrence}\n${canonicalJson(args ?? null)}`;
}

/** The calls of trials that were cut off, trial by trial. */
export interface UnfinishedCalls {
  began(record: IntentRecord): void;
  answered(record: OutcomeRecord): void;
  /** The trial came to its end: nothing of it is unfinished. */
  finished(caseId: string, trial: number): void;
  of(caseId: string, trial: number): ReadonlyMap<string, BegunCall>;
}

const none: ReadonlyMap<string, BegunCall> = new Map();

export function createUnfinishedCalls(): UnfinishedCalls {
  const byTrial = new Map<string, Map<string, BegunCall>>();
  const keyOf = (caseId: string, trial: number): string => `${trial}\n${caseId}`;
  return {
    began({ caseId, trial, tool, args, occurrence, identity }) {
      const key = keyOf(caseId, trial);
      const calls = byTrial.get(key) ?? new Map<string, BegunCall>();
      byTrial.set(key, calls.set(callKey(tool, args, occurrence), { ...identity, outcome: undefined }));
    },
    answered({ caseId, trial, tool, args, occurrence, outcome }) {
      const begun = byTrial.get(keyOf(caseId, trial))?.get(callKey(tool, args, occurrence));
      if (begun !== undefined) begun.outcome = outcome;
    },
    finished: (caseId, trial) => void byTrial.delete(keyOf(caseId, trial)),
    of: (caseId, trial) => byTrial.get(keyOf(caseId, trial)) ?? none,
  };
}

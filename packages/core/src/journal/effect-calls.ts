import type { LinePlace } from "../files/read-lines.js";
import { argsOf } from "../transcript/args-of.js";
import { canonicalJson } from "../values/canonical-json.js";
import { exactIntegersOf } from "../values/exact-integers.js";
import { isRecord } from "../values/json.js";
import type { IntentRecord, OutcomeRecord, TrialIdentity } from "./journal-record.js";

/** A call of a tool with effects that an earlier session of the run began. */
export interface EffectCall {
  tool: string;
  args: unknown;
  /** Where its answer is in the journal; null if nobody knows the result. */
  answer: LinePlace | null;
}

/** Whose calls they are: another prompt or another setup makes another conversation. */
type Caller = Pick<TrialIdentity, "agentHash" | "setupHash">;

/**
 * Distinguishes one call of a trial from the others, however often the same one is made. Two payments whose numbers
 * differ in their last digit only are two calls, even if a number cannot hold that digit.
 */
export function callKey(tool: string, args: unknown, occurrence: number): string {
  return `${tool}\n${occurrence}\n${canonicalJson(args ?? null)}\n${canonicalJson(exactIntegersOf(args) ?? null)}`;
}

/**
 * The calls that earlier sessions of a run began, trial by trial. They stay, however their trial ended: none of them is
 * made again in this run.
 */
export interface EffectCalls {
  began(record: IntentRecord): void;
  answered(record: OutcomeRecord, place: LinePlace): void;
  /** By their keys, in the order in which they started. */
  of(caseId: string, trial: number, caller: Caller): ReadonlyMap<string, EffectCall>;
}

/** The calls of one trial, by caller and key. */
type TrialCalls = Map<string, Map<string, EffectCall>>;

const none: ReadonlyMap<string, EffectCall> = new Map();

export function createEffectCalls(): EffectCalls {
  const byTrial = new Map<string, TrialCalls>();
  /** By trial and key: the calls of the caller that made it last, whom an answer belongs to. */
  const latest = new Map<string, Map<string, EffectCall>>();
  const keyOf = (caseId: string, trial: number): string => `${trial}\n${caseId}`;

  return {
    began({ identity, ...record }) {
      const { caseId, trial, tool, occurrence } = record;
      const args = argsOf(record);
      const trialKey = keyOf(caseId, trial);
      const callers: TrialCalls = byTrial.get(trialKey) ?? new Map<string, Map<string, EffectCall>>();
      byTrial.set(trialKey, callers);
      const caller = callerKey(identity);
      const calls = callers.get(caller) ?? new Map<string, EffectCall>();
      callers.set(caller, calls);
      const key = callKey(tool, args, occurrence);
      calls.set(key, { tool, args, answer: null });
      latest.set(`${trialKey}\n${key}`, calls);
    },
    answered(record, place) {
      const { caseId, trial, tool, occurrence, outcome } = record;
      const key = callKey(tool, argsOf(record), occurrence);
      const calls = latest.get(`${keyOf(caseId, trial)}\n${key}`);
      const begun = calls?.get(key);
      if (calls === undefined || begun === undefined) return;
      if (wasMade(outcome)) begun.answer = place;
      else calls.delete(key);
    },
    of: (caseId, trial, caller) => byTrial.get(keyOf(caseId, trial))?.get(callerKey(caller)) ?? none,
  };
}

function callerKey({ agentHash, setupHash }: Caller): string {
  return `${agentHash} ${setupHash}`;
}

/** What the test's own fixture could not answer, such as a missing recording, did not reach the tool. */
function wasMade(outcome: unknown): boolean {
  return !isRecord(outcome) || outcome["broken"] !== true;
}

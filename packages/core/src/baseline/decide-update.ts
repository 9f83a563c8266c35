import { canonicalJson } from "../values/canonical-json.js";
import type { BaselineEntry } from "./baseline.js";

export interface UpdateQuestion {
  /** What is blessed already. */
  present: ReadonlyMap<string, BaselineEntry>;
  /** What a run came to. */
  fresh: readonly BaselineEntry[];
  /** Whether an entry goes because the config has its case no more. */
  isGone(caseId: string): boolean;
}

/** What becomes of a baseline, in ids of cases. */
export interface BaselineUpdate {
  entries: ReadonlyMap<string, BaselineEntry>;
  added: readonly string[];
  updated: readonly string[];
  unchanged: readonly string[];
  /** Those that the run says nothing about. */
  kept: readonly string[];
  pruned: readonly string[];
}

/**
 * Puts what a run came to into a baseline. An entry that the run says nothing about stays, whatever went wrong in the run.
 * One that differs in nothing but time and money stays as it is, too, so that blessing again makes no noise.
 */
export function decideUpdate({ present, fresh, isGone }: UpdateQuestion): BaselineUpdate {
  const entries = new Map<string, BaselineEntry>();
  const kept: string[] = [];
  const pruned: string[] = [];
  const ran = new Set(fresh.map(({ caseId }) => caseId));
  for (const [caseId, entry] of present) {
    if (ran.has(caseId)) continue;
    if (isGone(caseId)) {
      pruned.push(caseId);
      continue;
    }
    kept.push(caseId);
    entries.set(caseId, entry);
  }
  const [added, updated, unchanged]: [string[], string[], string[]] = [[], [], []];
  for (const entry of fresh) {
    const { caseId } = entry;
    const before = present.get(caseId);
    const isSame = before !== undefined && foundIn(before) === foundIn(entry);
    (before === undefined ? added : isSame ? unchanged : updated).push(caseId);
    entries.set(caseId, isSame ? before : entry);
  }
  return { entries, added, updated, unchanged, kept, pruned };
}

function foundIn({ costUsd: _cost, latencyMs: _latency, ...found }: BaselineEntry): string {
  return canonicalJson(found);
}

import { canonicalJson } from "../values/canonical-json.js";
import type { BaselineEntry } from "./baseline.js";
import type { SetBaseline } from "./baseline-report.js";
import { poolEntries } from "./pool-entries.js";

interface UpdateQuestion {
  /** The saved entries. */
  present: ReadonlyMap<string, BaselineEntry>;
  /** The results of the run. */
  fresh: readonly BaselineEntry[];
  /** Whether an entry goes because the config has its case no more. */
  isGone(caseId: string): boolean;
  /** Pools the trials with those that are saved. */
  add?: boolean;
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
  /** Those that cannot be pooled with what is saved, which stays. */
  refused: SetBaseline["left"];
}

/**
 * Merges the results of a run into a baseline. An entry that the run says nothing about stays, whatever went wrong.
 * An entry that differs only in time and cost stays too, so saving again causes no diff.
 */
export function decideUpdate({ present, fresh, isGone, add = false }: UpdateQuestion): BaselineUpdate {
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
  const refused: { caseId: string; reason: string }[] = [];
  for (const entry of fresh) {
    const { caseId } = entry;
    const before = present.get(caseId);
    if (add && before !== undefined) {
      const pooled = poolEntries(before, entry);
      if (pooled.success) updated.push(caseId);
      else refused.push({ caseId, reason: pooled.error });
      entries.set(caseId, pooled.success ? pooled.data : before);
      continue;
    }
    const isSame = before !== undefined && foundIn(before) === foundIn(entry);
    (before === undefined ? added : isSame ? unchanged : updated).push(caseId);
    entries.set(caseId, isSame ? before : entry);
  }
  return { entries, added, updated, unchanged, kept, pruned, refused };
}

function foundIn({ costUsd: _cost, latencyMs: _latency, runs: _runs, effort, ...found }: BaselineEntry): string {
  return canonicalJson(effort === undefined ? found : { ...found, effort: withoutTime(effort) });
}

/** What a trial costs counts: of an agent that answers as before, it differs where prices or prompts do. */
function withoutTime({ spread, ...means }: NonNullable<BaselineEntry["effort"]>): object {
  return { ...means, latencyMs: null, spread: spread === undefined ? null : { ...spread, latencyMs: null } };
}

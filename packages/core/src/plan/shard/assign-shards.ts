import { hash } from "node:crypto";
import type { Durations } from "./durations.js";

/** Returns the shard of a case, from 1. */
export type ShardOfCase = (caseId: string) => number;

/**
 * Splits cases into shards, the same way on every machine. A case is where it is whatever other cases there are, so that
 * a new test moves nothing.
 *
 * Cases whose duration is known are dealt out longest first, each to the shard that has the least to do (LPT, R. L.
 * Graham 1969: no shard takes longer than 4/3 − 1/(3n) of the best possible). All cases of the durations are dealt out,
 * whether they run or not. Any other case goes by a hash of its id.
 */
export function assignShards(of: number, durations: Durations): ShardOfCase {
  const known = dealOut(of, durations);
  return (caseId) => known.get(caseId) ?? (Number.parseInt(hash("sha256", caseId).slice(0, 12), 16) % of) + 1;
}

function dealOut(of: number, durations: Durations): ReadonlyMap<string, number> {
  const loads = Array.from({ length: of }, () => 0);
  const assigned = new Map<string, number>();
  const longestFirst = [...durations].toSorted(([a, aMs], [b, bMs]) => bMs - aMs || (a < b ? -1 : 1));
  for (const [caseId, durationMs] of longestFirst) {
    let least = 0;
    for (let shard = 1; shard < of; shard += 1) if ((loads[shard] ?? 0) < (loads[least] ?? 0)) least = shard;
    loads[least] = (loads[least] ?? 0) + durationMs;
    assigned.set(caseId, least + 1);
  }
  return assigned;
}

import type { RunInfo } from "../engine/run-result.js";
import type { RunTotals, SettledProvider } from "../summary/run-totals.js";
import type { Diagnostic } from "../errors/error-table.js";

/** What the limiters of all shards settled on together. */
export function sumSettled(
  parts: readonly { providers: readonly Pick<RunTotals["providers"][number], "provider" | "limiter">[] }[],
): readonly SettledProvider[] {
  const sums = new Map<string, SettledProvider>();
  for (const { provider, limiter } of parts.flatMap((part) => part.providers)) {
    if (limiter === null) continue;
    const known = sums.get(provider) ?? { provider, limit: 0, rateLimits: 0, lanes: [] };
    sums.set(provider, {
      provider,
      limit: known.limit + limiter.limit,
      rateLimits: known.rateLimits + limiter.rateLimits,
      lanes: sumLanes([...known.lanes, ...limiter.lanes]),
    });
  }
  return [...sums.values()];
}

type Lane = SettledProvider["lanes"][number];

function sumLanes(lanes: readonly Lane[]): readonly Lane[] {
  const sums = new Map<string, Lane>();
  for (const { lane, ratePerSecond, rateLimits } of lanes) {
    const known = sums.get(lane);
    const rates = [known?.ratePerSecond ?? null, ratePerSecond].filter((rate) => rate !== null);
    const rate = rates.length === 0 ? null : rates.reduce((sum, one) => sum + one, 0);
    sums.set(lane, { lane, ratePerSecond: rate, rateLimits: (known?.rateLimits ?? 0) + rateLimits });
  }
  return [...sums.values()];
}

/** What is known of the merged run itself: it went on from the first start to the last end. */
export function mergeInfo(id: string, first: RunInfo, others: readonly RunInfo[]): RunInfo {
  const parts = [first, ...others];
  const startedAt = parts.map((info) => info.startedAt).toSorted()[0] ?? first.startedAt;
  const endedAt =
    parts
      .map((info) => info.endedAt)
      .toSorted()
      .at(-1) ?? first.endedAt;
  const { shard: _part, resumed: _sessions, ...rest } = first;
  const resumed = parts.reduce((sum, info) => sum + (info.resumed ?? 0), 0);
  const commits = new Set(parts.map(({ git }) => git?.commit));
  const info: RunInfo = {
    ...rest,
    id,
    mergedFrom: parts.map((part) => part.id),
    startedAt,
    endedAt,
    durationMs: Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)),
    git:
      commits.size > 1 || first.git === null
        ? null
        : { ...first.git, dirty: parts.some(({ git }) => git?.dirty === true) },
  };
  if (resumed > 0) info.resumed = resumed;
  return info;
}

/** All shards read the same config, so that each warns of the same. */
export function mergeWarnings(parts: readonly (readonly Diagnostic[])[]): readonly Diagnostic[] {
  return [...new Map(parts.flat().map((warning) => [JSON.stringify(warning), warning])).values()];
}

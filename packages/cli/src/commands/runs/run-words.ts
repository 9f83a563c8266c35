import type { RunListing } from "@kindlm/core";

/** How the run stands in one word: the verdict of one that went through, else why there is none. */
export function stateWord({ state, verdict }: RunListing): string {
  return state === "finished" && verdict !== null ? verdict : state;
}

/** US dollars; `?` where a price is unknown. */
export function costWord({ counts, costUsd }: RunListing): string {
  if (counts === null) return "";
  if (costUsd === null) return "?";
  return `$${costUsd === 0 || costUsd >= 100 ? costUsd.toFixed(2) : costUsd.toFixed(4)}`;
}

export function shardWord({ shard }: RunListing): string {
  return shard === null ? "" : `${shard.index}/${shard.of}`;
}

import type { RunListing } from "@kindlm/core/commands/runs";
import { renderUsd } from "@kindlm/core/program";

const units = ["kB", "MB", "GB", "TB"] as const;

/** The state of the run in one word: the verdict of a finished one, else why there is none. */
export function stateWord({ state, verdict }: RunListing): string {
  return state === "finished" && verdict !== null ? verdict : state;
}

/** US dollars; `?` where a price is unknown. */
export function costWord({ counts, costUsd }: RunListing): string {
  if (counts === null) return "";
  if (costUsd === null) return "?";
  return renderUsd(costUsd);
}

export function shardWord({ shard }: RunListing): string {
  return shard === null ? "" : `${shard.index}/${shard.of}`;
}

/** A number of bytes for people: `812 B`, `1.2 MB`. */
export function renderSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes;
  let unit: string = "B";
  for (const next of units) {
    if (value < 999.5) break;
    value /= 1_000;
    unit = next;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

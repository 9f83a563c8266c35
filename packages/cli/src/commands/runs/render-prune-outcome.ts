import { visibleLine, type PruneOutcome } from "@kindlm/core";
import { renderSize } from "./render-size.js";
import { stateWord } from "./run-words.js";

/** The runs that went, one per line, and what became free. */
export function renderPruneOutcome({ removed, freedBytes, problems }: PruneOutcome, isDryRun: boolean): string {
  const gone = removed.map((run) => `${visibleLine(run.id)}  ${stateWord(run)}, ${renderSize(run.bytes)}`);
  const left = problems.map(({ id, error }) => `✗ ${visibleLine(id)} is still there: ${visibleLine(error.message)}`);
  const count = `${removed.length} run${removed.length === 1 ? "" : "s"}`;
  const total =
    removed.length === 0
      ? "No run to remove"
      : isDryRun
        ? `Would remove ${count}, ${renderSize(freedBytes)}`
        : `Removed ${count}, ${renderSize(freedBytes)}`;
  return `${[...gone, ...left, total].join("\n")}\n`;
}

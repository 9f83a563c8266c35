import { plural, renderDuration, visibleLine, withCounts } from "@kindlm/core/program";
import { listRuns, type RunListing } from "@kindlm/core/commands/runs";
import { given } from "../given.js";
import { printAnswer } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { listCommand } from "./command.js";
import { costWord, renderSize, shardWord, stateWord } from "./run-words.js";

interface Column {
  title: string;
  isNumber: boolean;
  cell(run: RunListing): string;
}

const columns: readonly Column[] = [
  { title: "RUN", isNumber: false, cell: ({ id }) => visibleLine(id) },
  { title: "STATE", isNumber: false, cell: stateWord },
  { title: "SHARD", isNumber: false, cell: shardWord },
  {
    title: "PASSED",
    isNumber: true,
    cell: ({ counts }) => (counts === null ? "" : withCounts`${counts.passed}/${counts.total - counts.skipped}`),
  },
  { title: "TIME", isNumber: true, cell: ({ durationMs }) => (durationMs === null ? "" : renderDuration(durationMs)) },
  { title: "COST", isNumber: true, cell: costWord },
  { title: "SIZE", isNumber: true, cell: ({ bytes }) => renderSize(bytes) },
];

const widest = 80;
const gap = "  ";

export async function execute(invocation: InvocationOf<typeof listCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const runs = await listRuns({ paths: global.config, ...given({ root: flags.root }) }, environment);
  const text =
    runs.length === 0 ? `No runs yet. Start one: ${environment.asTyped("kindlm test")}\n` : renderRunTable(runs);
  return printAnswer(invocation, { data: runs, text });
}

/** A line for each run, the newest first; at least one. Columns in which nothing stands are left out, and the last if need be. */
export function renderRunTable(runs: readonly RunListing[]): string {
  const cells = columns.map((column) => ({ ...column, texts: runs.map(column.cell) }));
  const shown = cells.filter(({ texts }) => texts.some((text) => text !== ""));
  const widths = shown.map(({ title, texts }) =>
    texts.reduce((most, { length }) => Math.max(most, length), title.length),
  );
  const isTooWide = (): boolean => widths.reduce((sum, width) => sum + width + gap.length, -gap.length) > widest;
  while (shown.length > 3 && isTooWide()) {
    shown.pop();
    widths.pop();
  }
  const line = (textOf: (column: (typeof shown)[number]) => string): string =>
    shown
      .map((column, index) => {
        const width = widths[index] ?? 0;
        return column.isNumber ? textOf(column).padStart(width) : textOf(column).padEnd(width);
      })
      .join(gap)
      .trimEnd();
  const lines = [line(({ title }) => title), ...runs.map((_, row) => line(({ texts }) => texts[row] ?? ""))];
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  const total = `${plural(runs.length, "run")}, ${renderSize(bytes)}`;
  return `${[...lines, "", total].join("\n")}\n`;
}

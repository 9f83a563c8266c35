import { plural, renderDuration, visibleLine, withCounts } from "@kindlm/core/program";
import { listRuns, type RunListing } from "@kindlm/core/commands/runs";
import { given } from "../given.js";
import { printAnswer } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { listCommand } from "./command.js";
import { renderTable, type Column } from "./render-table.js";
import { checkRemote } from "./check-remote.js";
import { costWord, renderSize, shardWord, stateWord } from "./run-words.js";

const columns: readonly Column<RunListing>[] = [
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

export async function execute(invocation: InvocationOf<typeof listCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  checkRemote(flags);
  if (flags.remote) return (await import("./list-remote.js")).listRemote(invocation);
  const runs = await listRuns({ paths: global.config, ...given({ root: flags.root }) }, environment);
  const text =
    runs.length === 0 ? `No runs yet. Start one: ${environment.asTyped("kindlm test")}\n` : renderRunTable(runs);
  return printAnswer(invocation, { data: runs, text });
}

/** A line for each run, the newest first; at least one. */
export function renderRunTable(runs: readonly RunListing[]): string {
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  const total = `${plural(runs.length, "run")}, ${renderSize(bytes)}`;
  return `${[...renderTable(columns, runs), "", total].join("\n")}\n`;
}

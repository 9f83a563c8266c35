import { listRemoteRuns, type RemoteRun } from "@kindlm/core/commands/remote-runs";
import { renderUsd, visibleLine, withCounts } from "@kindlm/core/program";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { listCommand } from "./command.js";
import { renderTable, type Column } from "./render-table.js";

const usualLimit = 200;
const longestBranch = 24;

const columns: readonly Column<RemoteRun>[] = [
  { title: "RUN", isNumber: false, cell: ({ id }) => visibleLine(id) },
  { title: "STATE", isNumber: false, cell: ({ verdict }) => visibleLine(verdict ?? "") },
  { title: "PASSED", isNumber: true, cell: passedWord },
  { title: "BRANCH", isNumber: false, cell: ({ branch }) => shortened(visibleLine(branch ?? "")) },
  { title: "COST", isNumber: true, cell: ({ costUsd }) => (costUsd === null ? "?" : renderUsd(costUsd)) },
];

export async function listRemote(invocation: InvocationOf<typeof listCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const { server, project, limit: most = usualLimit } = flags;
  const listed = await listRemoteRuns({ paths: global.config, most, ...given({ server, project }) }, environment.core);
  if (!listed.success) return printError(invocation, listed.error);
  const { runs, hasMore } = listed.data;
  const none = `No runs on the server yet. Upload one: ${environment.asTyped("kindlm upload")}\n`;
  const text = runs.length === 0 ? none : `${renderTable(columns, runs).join("\n")}\n`;
  const exitCode = await printAnswer(invocation, { data: runs, text });
  if (hasMore) {
    await environment.stderr.write(`Older runs: ${environment.asTyped(`kindlm runs --remote --limit ${most * 2}`)}\n`);
  }
  return exitCode;
}

function passedWord({ counts }: RemoteRun): string {
  const { passed, failed, errored } = counts;
  return withCounts`${passed}/${passed + failed + errored}`;
}

function shortened(text: string): string {
  return text.length > longestBranch ? `${text.slice(0, longestBranch - 1)}…` : text;
}

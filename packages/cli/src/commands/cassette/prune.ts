import { plural, visibleLine } from "@kindlm/core/program";
import { pruneCassettes, type PrunedCassette } from "@kindlm/core/commands/cassettes";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { pruneCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof pruneCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const { root, dryRun } = flags;
  const paths = [...args, ...global.config];
  const pruned = await pruneCassettes({ paths, dryRun, ...given({ root }) }, environment.core);
  if (!pruned.success) return printError(invocation, pruned.error, paths);
  return printAnswer(invocation, { data: pruned.data, text: render(pruned.data, dryRun) });
}

/** One line per file that loses something. */
function render(files: readonly PrunedCassette[], isDryRun: boolean): string {
  const would = isDryRun ? "would lose" : "lost";
  const lines = files.map(({ file, isRemoved, cases, trials, entries }) => {
    const named = [...cases, ...trials.map((one) => `trial ${one.trial} of ${one.case}`)];
    const what = isRemoved ? (isDryRun ? "would be removed" : "removed") : `${would} ${plural(entries, "recording")}`;
    return `${visibleLine(file)}: ${what} (${named.map(visibleLine).join(", ")})`;
  });
  return `${[...lines, lines.length === 0 ? "Nothing to remove" : plural(lines.length, "file")].join("\n")}\n`;
}

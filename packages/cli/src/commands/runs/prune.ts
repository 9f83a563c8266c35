import { plural, visibleLine } from "@kindlm/core/program";
import { pruneRuns, type PruneOutcome } from "@kindlm/core/commands/runs";
import { given } from "../given.js";
import { printAnswer } from "../print-answer.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { pruneCommand } from "./command.js";
import { renderSize, stateWord } from "./run-words.js";

export async function execute(invocation: InvocationOf<typeof pruneCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const { keep, olderThan: olderThanMs, dryRun } = flags;
  if (keep === undefined && olderThanMs === undefined) {
    throw new UsageError(
      "kindlm runs prune needs --keep or --older-than",
      "Run: kindlm runs prune --keep 20 --older-than 30d",
    );
  }
  const project = { paths: global.config, ...given({ root: flags.root }) };
  const outcome = await pruneRuns({ ...project, dryRun, ...given({ keep, olderThanMs }) }, environment);
  const { removed, freedBytes, problems } = outcome;
  const failed = problems.map(({ id, error }) => ({ id, message: error.message }));
  const data = { dryRun, removed: removed.map(({ id }) => id), freedBytes, failed };
  return printAnswer(invocation, { data, text: renderOutcome(outcome, dryRun) }, problems.length === 0 ? 0 : 1);
}

/** The runs that went, one per line, and what became free. */
function renderOutcome({ removed, freedBytes, problems }: PruneOutcome, isDryRun: boolean): string {
  const gone = removed.map((run) => `${visibleLine(run.id)}  ${stateWord(run)}, ${renderSize(run.bytes)}`);
  const left = problems.map(({ id, error }) => `✗ Could not remove ${visibleLine(id)}: ${visibleLine(error.message)}`);
  const count = plural(removed.length, "run");
  const total =
    removed.length === 0
      ? "No run to remove"
      : isDryRun
        ? `Would remove ${count}, ${renderSize(freedBytes)}`
        : `Removed ${count}, ${renderSize(freedBytes)}`;
  return `${[...gone, ...left, total].join("\n")}\n`;
}

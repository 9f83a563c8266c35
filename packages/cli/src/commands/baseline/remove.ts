import { removeBaselines } from "@kindlm/core/commands/baselines";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { removeCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof removeCommand>): Promise<number> {
  const { args: suites, flags, global, environment } = invocation;
  const { dryRun, root } = flags;
  const removed = await removeBaselines({ paths: global.config, ...given({ root }), suites, dryRun }, environment.core);
  if (!removed.success) return printError(invocation, removed.error);
  const text = removed.data.map((file) => `${dryRun ? "Would remove" : "Removed"} ${file}\n`).join("");
  return printAnswer(invocation, { data: { dryRun, removed: removed.data }, text });
}

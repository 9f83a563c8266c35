import { listRuns, locateRoot } from "@kindlm/core";
import { given } from "../../given.js";
import { printAnswer } from "../../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { listCommand } from "./command.js";
import { renderRunTable } from "./render-run-table.js";

export async function execute(invocation: InvocationOf<typeof listCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const root = await locateRoot({ paths: global.config, ...given({ root: flags.root }) }, environment.cwd);
  const runs = await listRuns(root, environment.clock);
  return printAnswer(invocation, { data: runs, text: renderRunTable(runs) });
}

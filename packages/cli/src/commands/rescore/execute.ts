import { rescoreRun } from "@kindlm/core/commands/rescore-run";
import { showScoring } from "../../scoring/show-scoring.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { rescoreCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof rescoreCommand>): Promise<number> {
  const { args, flags } = invocation;
  const [named] = args;
  if (named !== undefined && flags.run !== undefined && named !== flags.run) {
    throw new UsageError("Two runs are named", "Name one of them, by its id alone or with --run");
  }
  const run = named ?? flags.run ?? "last";
  return showScoring(invocation, (options, world) => rescoreRun({ ...options, run }, world));
}

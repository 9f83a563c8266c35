import { rescoreRun } from "@kindlm/core/commands/rescore-run";
import { showScoring } from "../../scoring/show-scoring.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { rescoreCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof rescoreCommand>): Promise<number> {
  const { args, flags } = invocation;
  const [named] = args;
  if (named !== undefined && flags.run !== undefined && named !== flags.run) {
    throw new UsageError("Two runs given", "Name one run, as the argument or with --run");
  }
  const run = named ?? flags.run ?? "last";
  return showScoring(invocation, (options, world) => rescoreRun({ ...options, run }, world));
}

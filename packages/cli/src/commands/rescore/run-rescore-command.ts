import { rescoreRun } from "@kindlm/core";
import type { ScoringFlags } from "../../scoring/scoring-options.js";
import { showScoring } from "../../scoring/show-scoring.js";
import { UsageError } from "../../usage-error.js";
import type { Invocation } from "../command-definition.js";

export async function runRescoreCommand(invocation: Invocation): Promise<number> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has no types for parsed flags
  const flags = invocation.options as unknown as ScoringFlags;
  const [named] = invocation.args;
  if (named !== undefined && flags.run !== undefined && named !== flags.run) {
    throw new UsageError("Two runs are named", "Name one of them, by its id alone or with --run");
  }
  const run = named ?? flags.run ?? "last";
  return showScoring(invocation, flags, (options, world, onEvent) => rescoreRun({ ...options, run }, world, onEvent));
}

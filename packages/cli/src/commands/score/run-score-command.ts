import { scoreTranscripts } from "@kindlm/core";
import { refuseRepeated } from "../../scoring/refuse-repeated.js";
import type { ScoringFlags } from "../../scoring/scoring-options.js";
import { showScoring } from "../../scoring/show-scoring.js";
import { UsageError } from "../../usage-error.js";
import type { Invocation } from "../command-definition.js";

export async function runScoreCommand(invocation: Invocation): Promise<number> {
  const { args, environment } = invocation;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has no types for parsed flags
  const flags = invocation.options as unknown as ScoringFlags;
  const config = args.find((name) => /\.ya?ml$/i.test(name));
  if (config !== undefined) {
    throw new UsageError(`${config} looks like a config, not like transcripts`, `Name it with -c ${config}`);
  }
  refuseRepeated(args, environment.cwd);
  const transcripts = args.map((name) => (name === "-" ? { name: "stdin", chunks: environment.stdin } : name));
  return showScoring(invocation, flags, (options, world, onEvent) =>
    scoreTranscripts({ ...options, transcripts }, world, onEvent),
  );
}

import { isConfigName } from "@kindlm/core/program";
import { scoreTranscripts } from "@kindlm/core/commands/score-transcripts";
import { refuseRepeated } from "../../scoring/refuse-repeated.js";
import { showScoring } from "../../scoring/show-scoring.js";
import { UsageError } from "../../errors/usage-error.js";
import { given } from "../given.js";
import type { InvocationOf } from "../command-definition.js";
import type { scoreCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof scoreCommand>): Promise<number> {
  const { args, environment } = invocation;
  const config = args.find(isConfigName);
  if (config !== undefined) {
    throw new UsageError(`${config} looks like a config, not like transcripts`, `Name it with -c ${config}`);
  }
  refuseRepeated(args, environment.cwd);
  const transcripts = args.map((name) => (name === "-" ? { name: "stdin", chunks: environment.stdin } : name));
  const named = given({ testOfTraces: invocation.flags.as });
  return showScoring(invocation, (options, world) => scoreTranscripts({ ...options, transcripts, ...named }, world));
}

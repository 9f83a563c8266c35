import { receiveTraces } from "@kindlm/core/commands/receive-traces";
import { scoreTranscripts } from "@kindlm/core/commands/score-transcripts";
import { showScoring } from "../../scoring/show-scoring.js";
import type { InvocationOf } from "../command-definition.js";
import { given } from "../given.js";
import { printError } from "../print-answer.js";
import type { traceCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof traceCommand>): Promise<number> {
  const { flags, environment } = invocation;
  const { host, port, traces, quiet: quietMs, timeout: timeoutMs } = flags;
  const stop = new AbortController();
  // The first Ctrl-C ends the waiting, and what came is evaluated.
  const release = environment.onInterrupt(() => {
    stop.abort();
    return true;
  });
  const onListening = (url: string): void => {
    void environment.stderr.write(
      `Receiving traces at ${url}\n  OTEL_EXPORTER_OTLP_ENDPOINT=${url}\n  Press Ctrl-C to evaluate them\n`,
    );
  };
  const options = { ...given({ host, port, traces, quietMs, timeoutMs }), onListening };
  const received = await receiveTraces(options, { ...environment.core, signal: stop.signal });
  release();
  if (!received.success) return printError(invocation, received.error);
  const transcripts = [received.data];
  const named = given({ testOfTraces: flags.as });
  return showScoring(invocation, (scoring, world) => scoreTranscripts({ ...scoring, transcripts, ...named }, world));
}

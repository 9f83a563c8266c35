import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { withRunWorld, type Environment, type World } from "../run/environment.js";
import { createReceiver } from "../score/create-receiver.js";
import type { ReceivedTraces } from "../score/received-traces.js";
import { openOtlpServer } from "../traces/otlp-server.js";
import { plural } from "../values/plural.js";

export type { ReceivedTraces } from "../score/received-traces.js";

export interface ReceiveOptions {
  /** Default: 127.0.0.1, which other machines cannot reach. */
  host?: string;
  /** Default: 4318, where exporters send to. 0 takes a free one. */
  port?: number;
  /** How many traces of agents are awaited. Without it, all until the signal of the environment aborts. */
  traces?: number;
  /** How long it has to be quiet after the last span before late ones are no longer awaited, ms. Default: 2 s. */
  quietMs?: number;
  /** How long the first span may take, ms. Default: no limit. */
  timeoutMs?: number;
  /** Called once requests are accepted. */
  onListening?(url: string): void;
}

/**
 * Receives the spans of agents over OTLP/HTTP, for `scoreTranscripts`. Ends when as many traces as awaited are there and it
 * is quiet, or when the signal aborts. Fails with TRANSCRIPT_INVALID if no span of an agent came, and if the port cannot be
 * opened.
 */
export function receiveTraces(
  options: ReceiveOptions = {},
  environment: Environment = {},
): Promise<Result<ReceivedTraces>> {
  return withRunWorld(environment, (world) => receiveIn(world, options));
}

async function receiveIn(
  world: World,
  { host = "127.0.0.1", port = 4318, traces, quietMs = 2000, timeoutMs, onListening }: ReceiveOptions,
): Promise<Result<ReceivedTraces>> {
  const receiver = createReceiver();
  const started = await openOtlpServer(host, port, receiver.handle);
  if (!started.success) return failure(invalid(`${started.error.message}. Choose another port with --port`));
  const { data: server } = started;
  const { url } = server;
  onListening?.(url);
  await ended(world, receiver, { traces, quietMs, timeoutMs });
  await server.close();
  const { agentTraces, requests, rejected } = receiver.counts();
  if (agentTraces > 0) return success({ name: `traces received at ${url}`, index: receiver.index });
  const came =
    requests === 0
      ? `No request arrived at ${url}: check that OTEL_EXPORTER_OTLP_ENDPOINT of the agent is ${url}, that its protocol is http/json or http/protobuf, and that it flushes its spans before it ends`
      : `${plural(requests, "request")} arrived at ${url}, and no span of an agent in them${rejected === null ? "" : `: ${rejected}`}`;
  return failure(invalid(came));
}

interface Awaited {
  traces: number | undefined;
  quietMs: number;
  timeoutMs: number | undefined;
}

/** Waits until all that is awaited has come. */
function ended(
  { clock, signal }: World,
  receiver: ReturnType<typeof createReceiver>,
  { traces, quietMs, timeoutMs }: Awaited,
): Promise<void> {
  return new Promise((resolve) => {
    let cancel: () => void = () => {};
    const finish = (): void => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    if (signal?.aborted === true) return finish();
    signal?.addEventListener("abort", finish);
    if (timeoutMs !== undefined) cancel = clock.after(timeoutMs, finish);
    receiver.onSpans(() => {
      cancel();
      cancel = () => {};
      if (traces !== undefined && receiver.counts().agentTraces >= traces) cancel = clock.after(quietMs, finish);
    });
  });
}

function invalid(message: string): KindlmError {
  return kindlmError("TRANSCRIPT_INVALID", message, { details: { path: "", diagnostics: [] } });
}

import type { KindlmError } from "../errors/kindlm-error.js";
import type { ProviderAdapter, ProviderRequest, ProviderResponse } from "../providers/provider.js";
import { failure, type Result } from "../result.js";
import type { AttemptRecord } from "../transcript/attempt.js";
import type { Clock } from "../values/clock.js";
import { decideRetry } from "./decide-retry.js";
import type { RetryPolicy } from "./retry-policy.js";

/** Hears what happens around a call; every start is followed by its end. */
export interface CallListener {
  attemptStarted(attempt: number): void;
  attemptEnded(record: AttemptRecord): void;
  retryStarted(attempt: number, waitMs: number, error: KindlmError): void;
  retryEnded(attempt: number): void;
}

export interface CallPorts {
  adapter: ProviderAdapter;
  policy: RetryPolicy;
  clock: Clock;
  random(): number;
  listener: CallListener;
}

export interface ModelCall {
  result: Result<ProviderResponse>;
  attempts: readonly AttemptRecord[];
}

/** One turn: asks the provider and, by the policy, asks again. The only retry loop of the product. */
export async function callModel(
  request: ProviderRequest,
  ports: CallPorts,
  { signal }: { signal: AbortSignal },
): Promise<ModelCall> {
  const { adapter, policy, clock, listener } = ports;
  const startedAt = clock.monotonic();
  const attempts: AttemptRecord[] = [];
  // oxlint-disable no-await-in-loop -- an attempt is made only because the one before failed
  for (let attempt = 1; ; attempt += 1) {
    listener.attemptStarted(attempt);
    const sentAt = clock.monotonic();
    const asked = attempt === 1 ? request : { ...request, origin: { ...request.origin, attempt } };
    const result = await adapter.complete(asked, { signal });
    const record: AttemptRecord = {
      attempt,
      latencyMs: result.success ? result.data.latencyMs : clock.monotonic() - sentAt,
      error: result.success ? null : result.error,
      requestId: result.success ? result.data.requestId : requestIdOf(result.error),
      waitedMs: null,
    };
    attempts.push(record);
    listener.attemptEnded(record);
    if (result.success || signal.aborted) return { result, attempts };
    const decision = decideRetry({
      error: result.error,
      attempt,
      policy,
      elapsedMs: clock.monotonic() - startedAt,
      random: ports.random,
    });
    if (!decision.retry) return { result: failure(explained(result.error, attempt, decision.note)), attempts };
    listener.retryStarted(attempt, decision.waitMs, result.error);
    const waitFrom = clock.monotonic();
    await clock.sleep(decision.waitMs, signal);
    record.waitedMs = clock.monotonic() - waitFrom;
    listener.retryEnded(attempt);
    if (signal.aborted) return { result, attempts };
  }
}

/** Notes on the error how often it was tried, and why no more where that is news. */
function explained(error: KindlmError, attempts: number, note: string | null): KindlmError {
  const message = note === null ? error.message : `${error.message.replace(/\.$/, "")}. Not tried again: ${note}.`;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the spread keeps code and details together
  return {
    ...error,
    message,
    details: { ...error.details, attempts, ...(note === null ? {} : { notRetried: note }) },
  } as KindlmError;
}

function requestIdOf(error: KindlmError): string | null {
  const details = error.details;
  return details !== undefined && "requestId" in details && typeof details.requestId === "string"
    ? details.requestId
    : null;
}

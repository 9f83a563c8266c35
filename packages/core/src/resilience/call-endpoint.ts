import { withDetails, locateError, type KindlmError } from "../errors/kindlm-error.js";
import { trialStopped } from "../errors/trial-stopped.js";
import type { CallOptions, ProviderAdapter, ProviderResponse, RequestOrigin } from "../providers/provider.js";
import { failure, type Result } from "../result.js";
import type { AttemptRecord } from "../transcript/attempt.js";
import type { Clock } from "../values/clock.js";
import type { Budget } from "./budget.js";
import { outcomeOf } from "./circuit-breaker/attempt-outcome.js";
import { decideRetry, mayWorkAgain, type RetryPolicy } from "./retry-policy.js";
import type { LimitedCall } from "./limiter/lane.js";
import type { Limiter } from "./limiter/limiter.js";
import type { ModelEndpoint, RouteTarget } from "./model-route.js";

/** A wait before a further attempt. */
export interface RetryWait {
  /** The attempt that failed. */
  attempt: number;
  /** From 1, of at most `retries`. */
  retry: number;
  retries: number;
  waitMs: number;
  error: KindlmError;
}

/** The model that a call goes to: the name of its provider in the config, and that of its lane. */
export type CalledModel = Pick<ModelEndpoint, "provider" | "lane">;

/** Hears what happens around a call; every start is followed by its end. */
export interface CallListener {
  /** The call has to wait for room. */
  queueStarted(model: CalledModel): void;
  queueEnded(model: CalledModel): void;
  attemptStarted(attempt: number, model: CalledModel): void;
  attemptEnded(record: AttemptRecord): void;
  retryStarted(model: CalledModel, wait: RetryWait): void;
  /** `provider`: its name in the config. */
  retryEnded(attempt: number, provider: string): void;
  /** From here on `to` answers in place of `from`; both are ids of models. */
  fellBack(from: string, to: string, error: KindlmError): void;
}

export interface CallPorts {
  budget: Budget;
  clock: Clock;
  random(): number;
  listener: CallListener;
}

/** What any kind of answer says about its request. */
export type ResponseMetrics = Pick<ProviderResponse, "usage" | "requestId" | "latencyMs">;

/** A request to a model, whatever is wanted of it. */
export interface ModelRequest<Answer extends ResponseMetrics> {
  origin: RequestOrigin;
  /** About how many tokens it will use. */
  estimateTokens(): number;
  /** Makes one request, which comes from `origin`. */
  send(adapter: ProviderAdapter, origin: RequestOrigin, options: CallOptions): Promise<Result<Answer>>;
}

/**
 * Asks one model and, by its policy, asks again: the only retry loop for models. Each attempt goes past the budget,
 * the circuit breaker and the limiter; all decide again when its turn comes, since much may have happened while
 * it waited. `attempts` gets a record of each; those of models before are in it already.
 */
export async function callEndpoint<Answer extends ResponseMetrics>(
  request: ModelRequest<Answer>,
  target: RouteTarget,
  ports: CallPorts,
  attempts: AttemptRecord[],
  signal: AbortSignal,
): Promise<Result<Answer>> {
  const { endpoint, policy } = target;
  const { clock, listener } = ports;
  const startedAt = clock.monotonic();
  const tokens = endpoint.countsTokens ? request.estimateTokens() : 0;
  let failed: KindlmError | null = null;
  let skippedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    const refused = refusalOf(target, ports);
    const result =
      refused === null ? await attemptOnce(request, target, ports, attempts, tokens, signal) : failure(refused);
    if (result.success || signal.aborted) return result;
    const { error } = result;
    // The earlier failure says more than the fact that nothing more was tried.
    if (isRefusal(error) && failed !== null) {
      return failure(explained(failed, attempt - 1, error.message.replace(` The last: ${failed.message}`, "")));
    }
    if (isRefusal(error)) return result;
    failed = error;
    const elapsedMs = clock.monotonic() - startedAt + skippedMs;
    const decision = decideRetry({ error, attempt, policy, elapsedMs, random: ports.random });
    if (!decision.retry) return failure(explained(error, attempt, decision.note));
    const number = attempts.length;
    const { waitMs } = decision;
    listener.retryStarted(endpoint, {
      attempt: number,
      retry: attempt,
      retries: policy.maxAttempts - 1,
      waitMs,
      error,
    });
    const waitFrom = clock.monotonic();
    if (endpoint.isReplay === true) skippedMs += waitMs;
    else await clock.sleep(waitMs, signal);
    const record = attempts[number - 1];
    if (record !== undefined) record.waitedMs = clock.monotonic() - waitFrom;
    listener.retryEnded(number, endpoint.provider);
    if (signal.aborted) return result;
  }
}

async function attemptOnce<Answer extends ResponseMetrics>(
  request: ModelRequest<Answer>,
  target: RouteTarget,
  ports: CallPorts,
  attempts: AttemptRecord[],
  tokens: number,
  signal: AbortSignal,
): Promise<Result<Answer>> {
  const { endpoint, policy } = target;
  const { clock, listener } = ports;
  const { origin } = request;

  const begin = async (call: LimitedCall | null): Promise<Result<Answer>> => {
    const spent = ports.budget.refusal();
    if (spent !== null) return failure(spent);
    const entered = endpoint.breaker?.enter(endpoint.lane) ?? null;
    if (entered?.admitted === false) return failure(entered.error);
    const attempt = attempts.length + 1;
    listener.attemptStarted(attempt, endpoint);
    const sentAt = clock.monotonic();
    const startedAt = clock.now();
    const options: CallOptions = { signal };
    const answered = await request.send(endpoint.adapter, attempt === 1 ? origin : { ...origin, attempt }, options);
    const { replayedMs } = options;
    const result = answered.success ? answered : failure(located(answered.error, origin, attempt));
    const record: AttemptRecord = {
      attempt,
      provider: endpoint.provider,
      startedAt,
      latencyMs: result.success ? result.data.latencyMs : (replayedMs ?? clock.monotonic() - sentAt),
      error: result.success ? null : result.error,
      requestId: result.success ? result.data.requestId : (result.error.origin?.requestId ?? null),
      waitedMs: null,
    };
    if (call !== null) addWait(record, call);
    if (replayedMs !== undefined) record.replayed = true;
    attempts.push(record);
    listener.attemptEnded(record);
    if (entered !== null) {
      const outcome = signal.aborted ? "unknown" : outcomeOf(record.error, isWorthRetrying(record.error, policy));
      endpoint.breaker?.leave(entered.admission, outcome, record.error);
    }
    tellLimiter(target, call, result);
    return result;
  };

  if (endpoint.limiter === null) return begin(null);
  // It waits again only when what released it is over already.
  for (;;) {
    const answered = await runWithRoom(endpoint.limiter, target, tokens, { listener, signal }, begin);
    if (answered !== null) return answered;
    const refused = signal.aborted ? trialStopped() : refusalOf(target, ports);
    if (refused !== null) return failure(refused);
  }
}

function addWait(record: AttemptRecord, { queuedAt, at, isHeldBack }: LimitedCall): void {
  if (queuedAt === null) return;
  record.queuedMs = at - queuedAt;
  if (isHeldBack) record.isRateLimited = true;
}

/** Begins when the limiter has room, and reports the wait if there is one. Null if the wait ended without an attempt. */
async function runWithRoom<T>(
  limiter: Limiter,
  { endpoint }: RouteTarget,
  tokens: number,
  { listener, signal }: { listener: CallListener; signal: AbortSignal },
  begin: (call: LimitedCall) => Promise<T>,
): Promise<T | null> {
  const place = { isQueued: false, hasBegun: false };
  const leaveQueue = (): void => {
    if (place.isQueued) listener.queueEnded(endpoint);
    place.isQueued = false;
  };
  const answer = limiter.run(endpoint.lane, tokens, signal, (call) => {
    place.hasBegun = true;
    leaveQueue();
    return begin(call);
  });
  if (!place.hasBegun) {
    place.isQueued = true;
    listener.queueStarted(endpoint);
  }
  const answered = await answer;
  leaveQueue();
  return answered;
}

/** Why an attempt would not be made now; null when it would. */
function refusalOf({ endpoint }: RouteTarget, { budget }: CallPorts): KindlmError | null {
  return budget.refusal() ?? endpoint.breaker?.refusal(endpoint.lane) ?? null;
}

function isWorthRetrying(error: KindlmError | null, policy: RetryPolicy): boolean {
  return error !== null && mayWorkAgain(error, policy);
}

function tellLimiter(
  { endpoint: { limiter }, policy }: RouteTarget,
  call: LimitedCall | null,
  result: Result<ResponseMetrics>,
): void {
  if (limiter === null || call === null) return;
  if (result.success) return limiter.succeeded(call, tokensOf(result.data));
  if (result.error.code !== "PROVIDER_RATE_LIMIT") return;
  const hintMs = result.error.details?.retryAfterMs ?? null;
  // Nobody will wait for longer than the policy allows, so it holds up nobody, and says nothing about the pace.
  if (hintMs === null || hintMs <= policy.maxRetryAfterMs) limiter.rateLimited(call, hintMs);
}

function tokensOf({ usage }: ResponseMetrics): number | null {
  return usage === null ? null : usage.inputTokens + usage.outputTokens;
}

function isRefusal({ code }: KindlmError): boolean {
  return code === "ENGINE_BUDGET_EXCEEDED" || code === "PROVIDER_CIRCUIT_OPEN";
}

function located(error: KindlmError, { caseId, trial, turn }: RequestOrigin, attempt: number): KindlmError {
  const details = error.details;
  const requestId = details !== undefined && "requestId" in details ? details.requestId : undefined;
  const where = { caseId, trial, turn, attempt };
  return locateError(error, typeof requestId === "string" ? { ...where, requestId } : where);
}

/** Notes on the error how often it was tried, and why no more where that is news. */
function explained(error: KindlmError, attempts: number, note: string | null): KindlmError {
  const message =
    note === null ? error.message : `${error.message.replace(/\.$/, "")}. Not retried: ${note.replace(/\.$/, "")}.`;
  return withDetails(error, { attempts, ...(note === null ? {} : { notRetried: note }) }, message);
}

import type { Dispatcher } from "undici";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import type { RequestTimeouts, BodySink, HttpFailure, HttpReply, HttpRequest } from "./transport.js";
import type { AbortWatch } from "./abort-watch.js";
import type { AnswerTurns } from "./answer-turns.js";
import type { Connection } from "./connections.js";
import { decodeBody, isEncoded, maxBodyBytes, maxStreamBytes } from "./decode-body.js";
import { describeFailure } from "./describe-failure.js";

type Outcome = Result<HttpReply, HttpFailure>;
type Phase = "connect" | "headers" | "idle";
type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What the exchanges of a transport share. */
export interface ExchangeWorld {
  clock: Clock;
  aborts: AbortWatch;
  turns: AnswerTurns;
}

/** What may follow the end of an answer before its connection is cut instead of used again. */
const maxBytesAfterEnd = 65_536;
const maxMsAfterEnd = 1_000;

/**
 * One request and its reply, as undici's handler. It settles exactly once: by the reply, an error, a deadline or the
 * caller's signal. It owns all deadlines with a single timer, which looks at the phase when it fires: moving from
 * phase to phase costs nothing.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly clock: Clock;
  private readonly aborts: AbortWatch;
  private readonly turns: AnswerTurns;
  private readonly timeouts: RequestTimeouts;
  private readonly signal: AbortSignal;
  private readonly wantedSink: BodySink | null;
  private readonly startedAt: number;
  private readonly shortestMs: number;
  private phase: Phase = "connect";
  private phaseStartedAt: number;
  private resolve: ((outcome: Outcome) => void) | null = null;
  private connection: Connection | null = null;
  private controller: Dispatcher.DispatchController | null = null;
  private cancelTimer: (() => void) | null = null;
  private unwatch: (() => void) | null = null;
  status = 0;
  headers: HttpReply["headers"] = {};
  private chunks: Buffer[] = [];
  private length = 0;
  /** Takes each piece as it comes; null for a body that is read as a whole. */
  private sink: BodySink | null = null;
  private isCompressed = false;

  constructor(
    { clock, aborts, turns }: ExchangeWorld,
    { timeouts, sink }: Pick<HttpRequest, "timeouts" | "sink">,
    signal: AbortSignal,
  ) {
    this.clock = clock;
    this.aborts = aborts;
    this.turns = turns;
    this.timeouts = timeouts;
    this.signal = signal;
    this.wantedSink = sink ?? null;
    this.startedAt = clock.monotonic();
    this.phaseStartedAt = this.startedAt;
    this.shortestMs = Math.min(timeouts.connectMs, timeouts.headersMs, timeouts.idleMs, timeouts.requestMs);
  }

  run(connection: Connection, options: Dispatcher.DispatchOptions): Promise<Outcome> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.connection = connection;
      if (this.signal.aborted) {
        connection.release(true);
        return this.handleAbort();
      }
      this.unwatch = this.aborts.add(this.signal, this.handleAbort);
      this.cancelTimer = this.clock.after(this.shortestMs, this.checkDeadlines);
      connection.dispatcher.dispatch(options, this);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Settled while it waited for a connection: the request must no longer be sent.
    if (this.resolve === null) return controller.abort(new Error("The request was given up before it was sent"));
    this.controller = controller;
    this.enter("headers");
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ReceivedHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = joinRepeated(headers);
    this.isCompressed = isEncoded(this.headers);
    // A compressed stream was not asked for; it is read as a whole.
    if (status < 300 && !this.isCompressed) this.sink = this.wantedSink;
    this.enter("idle");
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.length += chunk.length;
    if (this.resolve === null) {
      // A little after the end of an answer is read and dropped, so that the connection can be used again.
      if (this.length > maxBytesAfterEnd) controller.abort(new Error("The server did not stop sending"));
      return;
    }
    const maxBytes = this.sink === null ? maxBodyBytes : maxStreamBytes;
    if (this.length > maxBytes) {
      return this.fail(this.unreadable(`the reply is larger than ${maxBytes / 1_048_576} MiB`));
    }
    const elapsedMs = this.enter("idle") - this.startedAt;
    if (this.sink === null) this.chunks.push(chunk);
    else if (this.sink(chunk, elapsedMs, this)) this.succeedBeforeEnd(controller, elapsedMs);
  }

  onResponseEnd(): void {
    this.connection?.release(true);
    const latencyMs = this.clock.monotonic() - this.startedAt;
    if (!this.isCompressed) return this.succeed(textOf(this.chunks), latencyMs);
    const { resolve } = this;
    const sink = this.status < 300 ? this.wantedSink : null;
    this.release();
    void decodeBody(this.chunks, this.headers).then((decoded) => {
      if (!decoded.success) return resolve?.(failure(this.unreadable(decoded.error.message, decoded.error.cause)));
      sink?.(Buffer.from(decoded.data), latencyMs, this);
      return resolve?.(success(this.replyOf(sink === null ? decoded.data : "", latencyMs)));
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.connection?.release(false);
    const described = describeFailure(error);
    const isBroken = described.kind === "network" && this.phase === "idle";
    this.settle(failure(isBroken ? { ...described, brokeOff: true } : described));
  }

  private readonly handleAbort = (): void => {
    const reason: unknown = this.signal.reason;
    this.fail({ kind: "aborted", cause: reason instanceof Error ? reason : new Error(String(reason)) });
  };

  private readonly checkDeadlines = (): void => {
    const now = this.clock.monotonic();
    const phaseMs = this.timeouts[`${this.phase}Ms`];
    const phaseLeft = this.phaseStartedAt + phaseMs - now;
    const totalLeft = this.startedAt + this.timeouts.requestMs - now;
    if (totalLeft <= 0) return this.expire("request", this.timeouts.requestMs);
    if (phaseLeft <= 0) return this.expire(this.phase, phaseMs);
    // A later phase may have a shorter deadline than this one, so the timer never sleeps longer than the shortest.
    const waitMs = Math.ceil(Math.min(phaseLeft, totalLeft, this.shortestMs));
    this.cancelTimer = this.clock.after(waitMs, this.checkDeadlines);
  };

  private expire(which: Phase | "request", ms: number): void {
    this.fail({ kind: "timeout", which, ms, cause: new Error(`The ${which} deadline of ${ms} ms passed`) });
  }

  /** Starts or restarts a phase. Returns the time. */
  private enter(phase: Phase): number {
    this.phase = phase;
    this.phaseStartedAt = this.clock.monotonic();
    return this.phaseStartedAt;
  }

  private unreadable(message: string, cause: Error = new Error(message)): HttpFailure {
    return { kind: "unreadable", status: this.status, headers: this.headers, message, cause };
  }

  private replyOf(body: string, latencyMs: number): HttpReply {
    return { status: this.status, headers: this.headers, body, latencyMs };
  }

  private succeed(body: string, latencyMs: number): void {
    const { resolve } = this;
    const outcome = success(this.replyOf(body, latencyMs));
    this.release();
    this.turns.add(() => resolve?.(outcome));
  }

  /** A server that leaves its reply open after the answer would hold the connection indefinitely. */
  private succeedBeforeEnd(controller: Dispatcher.DispatchController, latencyMs: number): void {
    this.length = 0;
    this.succeed("", latencyMs);
    this.cancelTimer = this.clock.after(maxMsAfterEnd, () =>
      controller.abort(new Error("The server left its reply open")),
    );
  }

  /** Settles first and aborts then, so that the error which the abort brings is not taken for the cause. */
  private fail(error: HttpFailure): void {
    const { controller } = this;
    this.settle(failure(error));
    controller?.abort(error.cause);
  }

  private settle(outcome: Outcome): void {
    const { resolve } = this;
    this.release();
    resolve?.(outcome);
  }

  private release(): void {
    this.resolve = null;
    this.controller = null;
    this.cancelTimer?.();
    this.cancelTimer = null;
    this.unwatch?.();
    this.unwatch = null;
  }
}

function joinRepeated(headers: ReceivedHeaders): HttpReply["headers"] {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string") joined[name] = value;
    else if (value !== undefined) joined[name] = value.join(", ");
  }
  return joined;
}

function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (first === undefined) return "";
  return withoutMark((chunks.length === 1 ? first : Buffer.concat(chunks)).toString("utf8"));
}

/** A byte order mark is not part of the text, and JSON does not allow it. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

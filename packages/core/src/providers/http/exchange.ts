import type { Dispatcher } from "undici";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import type { RequestTimeouts } from "../provider.js";
import type { AbortWatch } from "./abort-watch.js";
import { decodeBody, isEncoded, maxBodyBytes } from "./decode-body.js";
import { describeFailure } from "./describe-failure.js";
import type { BodySink, HttpFailure, HttpReply, HttpRequest } from "./transport.js";

type Outcome = Result<HttpReply, HttpFailure>;
type Phase = "connect" | "headers" | "idle";
type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

const maxBytesAfterEnd = 65_536;

/**
 * One request and its reply, as undici's handler. It settles exactly once: by the reply, an error, a deadline or the
 * caller's signal. It owns all deadlines with a single timer, which looks at the phase when it fires: moving from
 * phase to phase costs nothing.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly clock: Clock;
  private readonly timeouts: RequestTimeouts;
  private readonly signal: AbortSignal;
  private readonly openSink: HttpRequest["openSink"];
  private readonly startedAt: number;
  private readonly shortestMs: number;
  private phase: Phase = "connect";
  private phaseStartedAt: number;
  private resolve: ((outcome: Outcome) => void) | null = null;
  private controller: Dispatcher.DispatchController | null = null;
  private cancelTimer: (() => void) | null = null;
  private unwatch: (() => void) | null = null;
  private status = 0;
  private headers: HttpReply["headers"] = {};
  private chunks: Buffer[] = [];
  private length = 0;
  private sink: BodySink | null = null;

  constructor(clock: Clock, { timeouts, openSink }: HttpRequest, signal: AbortSignal) {
    this.clock = clock;
    this.timeouts = timeouts;
    this.signal = signal;
    this.openSink = openSink;
    this.startedAt = clock.monotonic();
    this.phaseStartedAt = this.startedAt;
    this.shortestMs = Math.min(timeouts.connectMs, timeouts.headersMs, timeouts.idleMs, timeouts.requestMs);
  }

  run(agent: Dispatcher, options: Dispatcher.DispatchOptions, aborts: AbortWatch): Promise<Outcome> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      if (this.signal.aborted) return this.handleAbort();
      this.unwatch = aborts.add(this.signal, this.handleAbort);
      this.cancelTimer = this.clock.after(this.shortestMs, this.checkDeadlines);
      agent.dispatch(options, this);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Settled while it waited for a connection: the request must not be sent any more.
    if (this.resolve === null) return controller.abort(new Error("The request was given up before it was sent"));
    this.controller = controller;
    this.enter("headers");
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ReceivedHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = joinRepeated(headers);
    if (status < 300 && this.openSink !== undefined) this.sink = this.openSink(this.headers);
    this.enter("idle");
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.length += chunk.length;
    if (this.resolve === null) {
      // A little after the end of an answer is read and dropped, so that the connection can be used again.
      if (this.length > maxBytesAfterEnd) controller.abort(new Error("The server did not stop sending"));
      return;
    }
    if (this.length > maxBodyBytes) {
      return this.fail(this.unreadable(`the reply is larger than ${maxBodyBytes / 1_048_576} MiB`));
    }
    this.enter("idle");
    // A compressed stream was not asked for; it is read as a whole.
    if (this.sink === null || isEncoded(this.headers)) this.chunks.push(chunk);
    else if (this.sink(chunk)) {
      this.length = 0;
      this.succeed("", this.clock.monotonic() - this.startedAt);
    }
  }

  onResponseEnd(): void {
    const latencyMs = this.clock.monotonic() - this.startedAt;
    if (!isEncoded(this.headers)) return this.succeed(textOf(this.chunks), latencyMs);
    const { resolve, sink } = this;
    this.release();
    void decodeBody(this.chunks, this.headers).then((decoded) => {
      if (!decoded.success) return resolve?.(failure(this.unreadable(decoded.error.message, decoded.error.cause)));
      sink?.(Buffer.from(decoded.data));
      return resolve?.(success(this.replyOf(sink === null ? decoded.data : "", latencyMs)));
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(failure(describeFailure(error)));
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

  private enter(phase: Phase): void {
    this.phase = phase;
    this.phaseStartedAt = this.clock.monotonic();
  }

  private unreadable(message: string, cause: Error = new Error(message)): HttpFailure {
    return { kind: "unreadable", status: this.status, headers: this.headers, message, cause };
  }

  private replyOf(body: string, latencyMs: number): HttpReply {
    return { status: this.status, headers: this.headers, body, latencyMs };
  }

  private succeed(body: string, latencyMs: number): void {
    this.settle(success(this.replyOf(body, latencyMs)));
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

/** A byte order mark is no part of the text, and JSON does not allow it. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

import { withDetails, type KindlmError } from "../../errors/kindlm-error.js";
import type { HttpReply, HttpRequest, HttpTransport } from "../../providers/http/transport.js";
import { decideRetry, type RetryPolicy } from "../../resilience/retry-policy.js";
import { failure, success, type Result } from "../../result.js";
import type { ServerTrace } from "../../run/environment.js";
import type { Clock } from "../../values/clock.js";
import { isRecord } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";
import { classifyServerFailure, classifyServerReply, unusableReply } from "./classify-reply.js";

/** What a conversation with the results server may take, retries and waits included, milliseconds. */
const mostUploadMs = 30_000;

const policy = {
  maxAttempts: 3,
  initialDelayMs: 1_000,
  maxDelayMs: 2_000,
  multiplier: 2,
  jitter: 0,
  statuses: [],
  patterns: [],
} satisfies Partial<RetryPolicy>;

export interface ServerPorts {
  http: HttpTransport;
  clock: Clock;
  signal: AbortSignal;
  trace?: (traced: ServerTrace) => void | Promise<void>;
}

export interface ServerCall {
  method: HttpRequest["method"];
  /** Below `/api/v1`. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** A function makes another body for each attempt. */
  body?: string | (() => Promise<Result<string>>);
  bytes?: Uint8Array;
  /** Statuses from 400 on that are an answer. */
  answers?: readonly number[];
}

/** A run that the server has. */
export interface SentRun {
  /** True if the server had the same content already. */
  isKnown: boolean;
  /** Page of the run. */
  url: string;
  /** IDs of cases that were sent without their transcript, since they are too large with it. */
  shortened: readonly string[];
}

export interface ServerAnswer {
  status: number;
  /** Empty if the reply has no body. */
  data: Readonly<Record<string, unknown>>;
}

/** A results server, and who speaks to it. */
export interface ServerSettings {
  /** Without a slash at its end. */
  address: string;
  /** Null before login. */
  token: string | null;
  /** What to do if the server refuses the token. */
  tokenHint?: string;
  /** True: all calls together take at most `mostMs`, counted from the first; else each. */
  isBounded: boolean;
  /** Default: 30 s. */
  mostMs?: number;
}

/**
 * Speaks the API of the results server: one call after the other, each tried again after 1 s and 2 s, or after what the
 * server asks for, if the connection failed, the server has a problem (5xx) or asks to wait (429). No redirect is
 * followed, so the token goes nowhere else.
 */
export class ServerConnection {
  readonly address: string;
  readonly #settings: ServerSettings;
  readonly #ports: ServerPorts;
  readonly #mostMs: number;
  #startedAt: number | null;

  constructor(settings: ServerSettings, ports: ServerPorts, startedAt: number | null = null) {
    this.address = settings.address;
    this.#settings = settings;
    this.#ports = ports;
    this.#mostMs = settings.mostMs ?? mostUploadMs;
    this.#startedAt = startedAt;
  }

  /** The same conversation with a token, within the same time. */
  withToken(token: string, tokenHint: string): ServerConnection {
    return new ServerConnection({ ...this.#settings, token, tokenHint }, this.#ports, this.#startedAt);
  }

  /** Fails with CLOUD_AUTH_ERROR, CLOUD_PLAN_LIMIT, CLOUD_RATE_LIMIT and CLOUD_UPLOAD_ERROR. */
  async call(call: ServerCall): Promise<Result<ServerAnswer>> {
    const { clock, signal } = this.#ports;
    if (!this.#settings.isBounded) this.#startedAt = null;
    const startedAt = (this.#startedAt ??= clock.monotonic());
    for (let attempt = 1; ; attempt += 1) {
      const answered = await this.#once(call, startedAt);
      if (answered.success || signal.aborted) return answered;
      const { error } = answered;
      const elapsedMs = clock.monotonic() - startedAt;
      const bounded = { ...policy, maxRetryAfterMs: this.#mostMs, totalMs: this.#mostMs };
      const decision = decideRetry({ error, attempt, policy: bounded, elapsedMs, random: () => 0 });
      if (!decision.retry) return failure(withDetails(error, { attempts: attempt }));
      await clock.sleep(decision.waitMs, signal);
      if (signal.aborted) return answered;
    }
  }

  async #once(call: ServerCall, startedAt: number): Promise<Result<ServerAnswer>> {
    const { http, clock, signal } = this.#ports;
    const { address } = this;
    const made = typeof call.body === "function" ? await call.body() : success(call.body);
    if (!made.success) return made;
    const leftMs = startedAt + this.#mostMs - clock.monotonic();
    // What has no time left is not even tried.
    if (leftMs <= 0) return failure(tooLate(address, this.#mostMs));
    const request = this.#requestFor(call, made.data, leftMs);
    await this.#trace("request", call, { bytes: request.bytes?.length ?? request.body?.length ?? 0 });
    const sent = await http.send(request, { signal });
    if (!sent.success) {
      const error = classifyServerFailure(address, sent.error);
      await this.#trace("failure", call, { message: error.message });
      return failure(error);
    }
    const reply = this.#withoutToken(sent.data);
    await this.#trace("reply", call, {
      status: reply.status,
      ms: Math.round(reply.latencyMs),
      bytes: reply.body.length,
    });
    const isAnswer = (reply.status >= 200 && reply.status < 300) || call.answers?.includes(reply.status) === true;
    if (!isAnswer) return failure(this.#withHint(classifyServerReply(address, reply, clock.now())));
    if (reply.body.trim() === "") return success({ status: reply.status, data: {} });
    const parsed = parseJson(reply.body);
    if (parsed.success && isRecord(parsed.data)) return success({ status: reply.status, data: parsed.data });
    return failure(unusableReply(address, reply, "a body that is not a JSON object"));
  }

  async #trace(type: ServerTrace["type"], { method, path }: ServerCall, more: ServerTrace["told"]): Promise<void> {
    await this.#ports.trace?.({ type, told: { method, url: `${this.address}/api/v1${path}`, ...more } });
  }

  #requestFor(
    { method, path, headers = {}, bytes }: ServerCall,
    body: string | undefined,
    leftMs: number,
  ): HttpRequest {
    const { token } = this.#settings;
    return {
      url: `${this.address}/api/v1${path}`,
      method,
      headers: {
        accept: "application/json",
        "user-agent": "kindlm",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(bytes === undefined ? {} : { bytes }),
      timeouts: { connectMs: 10_000, headersMs: leftMs, idleMs: leftMs, requestMs: leftMs },
    };
  }

  #withHint(error: KindlmError): KindlmError {
    const { tokenHint } = this.#settings;
    const isRefused = error.code === "CLOUD_AUTH_ERROR" && error.details?.status === 401;
    return isRefused && tokenHint !== undefined ? withDetails(error, { hint: tokenHint }) : error;
  }

  /** A server may repeat the token in its error. */
  #withoutToken(reply: HttpReply): HttpReply {
    const { token } = this.#settings;
    if (token === null || reply.status < 300) return reply;
    return { ...reply, body: reply.body.replaceAll(token, "[redacted]") };
  }
}

function tooLate(address: string, ms: number): KindlmError {
  const cause = new Error("The deadline of all requests together passed");
  return classifyServerFailure(address, { kind: "timeout", which: "request", ms, cause });
}

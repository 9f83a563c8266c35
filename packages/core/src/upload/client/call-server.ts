import { withDetails, type KindlmError } from "../../errors/kindlm-error.js";
import type { HttpReply, HttpRequest, HttpTransport } from "../../providers/http/transport.js";
import { decideRetry, type RetryPolicy } from "../../resilience/retry-policy.js";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { isRecord } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";
import { classifyServerFailure, classifyServerReply, unusableReply } from "./classify-reply.js";

/** What a conversation with the results server may take, retries and waits included, milliseconds. */
const mostUploadMs = 30_000;

const policy: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 1_000,
  maxDelayMs: 2_000,
  multiplier: 2,
  jitter: 0,
  statuses: [],
  patterns: [],
  maxRetryAfterMs: mostUploadMs,
  totalMs: mostUploadMs,
};

export interface ServerPorts {
  http: HttpTransport;
  clock: Clock;
  signal: AbortSignal;
}

export interface ServerCall {
  method: HttpRequest["method"];
  /** Below `/api/v1`. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  bytes?: Uint8Array;
  /** Statuses from 400 on that are an answer. */
  answers?: readonly number[];
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
  /** True: all calls together take at most 30 s, counted from the first; else each. */
  isBounded: boolean;
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
  #startedAt: number | null = null;

  constructor(settings: ServerSettings, ports: ServerPorts) {
    this.address = settings.address;
    this.#settings = settings;
    this.#ports = ports;
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
      const decision = decideRetry({ error, attempt, policy, elapsedMs, random: () => 0 });
      if (!decision.retry) return failure(withDetails(error, { attempts: attempt }));
      await clock.sleep(decision.waitMs, signal);
      if (signal.aborted) return answered;
    }
  }

  async #once(call: ServerCall, startedAt: number): Promise<Result<ServerAnswer>> {
    const { http, clock, signal } = this.#ports;
    const { address } = this;
    const leftMs = startedAt + mostUploadMs - clock.monotonic();
    // What has no time left is not even tried.
    if (leftMs <= 0) return failure(tooLate(address));
    const sent = await http.send(this.#requestFor(call, leftMs), { signal });
    if (!sent.success) return failure(classifyServerFailure(address, sent.error));
    const reply = this.#withoutToken(sent.data);
    const isAnswer = (reply.status >= 200 && reply.status < 300) || call.answers?.includes(reply.status) === true;
    if (!isAnswer) return failure(this.#withHint(classifyServerReply(address, reply, clock.now())));
    if (reply.body.trim() === "") return success({ status: reply.status, data: {} });
    const parsed = parseJson(reply.body);
    if (parsed.success && isRecord(parsed.data)) return success({ status: reply.status, data: parsed.data });
    return failure(unusableReply(address, reply, "a body that is not a JSON object"));
  }

  #requestFor({ method, path, headers = {}, body, bytes }: ServerCall, leftMs: number): HttpRequest {
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

function tooLate(address: string): KindlmError {
  const cause = new Error("The deadline of all requests together passed");
  return classifyServerFailure(address, { kind: "timeout", which: "request", ms: mostUploadMs, cause });
}

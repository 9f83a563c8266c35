import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpOutcome, HttpTransport } from "../providers/http/transport.js";
import type { Clock } from "../values/clock.js";
import { encodeRequest, renderRequest } from "./otlp-request.js";
import type { SentSpan } from "./sent-span.js";
import type { SpanSettings } from "./span-settings.js";

/** As many as exporters of OpenTelemetry send at once. */
const batchSize = 512;
/** A trial may be long; a request with one is larger than this. */
const batchChars = 4_000_000;
/** Characters of attributes that wait: a collector that is slow must not fill the memory. */
const mostChars = 32_000_000;
/** A collector that is down is not asked for each batch of a long run. */
const mostFailures = 3;
/** How long the end of a run may take for the spans that are left. */
const mostEndMs = 30_000;
const retryMs = [500, 2_000];
const worthRetrying: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface SenderPorts {
  http: HttpTransport;
  clock: Clock;
  signal: AbortSignal | null;
}

/** Sends spans in batches, one request at a time. Never rejects, and never holds up a run. */
export class SpanSender {
  readonly #settings: SpanSettings;
  readonly #ports: SenderPorts;
  #waiting: { span: SentSpan; chars: number }[] = [];
  #chars = 0;
  #sending: Promise<void> | null = null;
  #failures = 0;
  #inFlight = 0;
  #isOver = false;
  #lost = 0;
  #problem: string | null = null;

  constructor(settings: SpanSettings, ports: SenderPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  add(spans: readonly SentSpan[]): void {
    for (const span of spans) {
      const chars = sizeOf(span);
      if (this.#failures >= mostFailures || this.#chars + chars > mostChars) this.#lost += 1;
      else {
        this.#waiting.push({ span, chars });
        this.#chars += chars;
      }
    }
    if (this.#waiting.length >= batchSize || this.#chars >= batchChars) this.#send();
  }

  /** Sends what is left. Resolves with how many spans were lost, and why the last were. */
  async finish(): Promise<{ lost: number; problem: string | null }> {
    const { clock } = this.#ports;
    const done = new AbortController();
    await Promise.race([this.#drained(), clock.sleep(mostEndMs, done.signal)]);
    this.#isOver = true;
    const unsent = this.#waiting.length + this.#inFlight;
    done.abort();
    const problem = this.#problem ?? (unsent > 0 ? "the collector is too slow" : null);
    return { lost: this.#lost + unsent, problem };
  }

  async #drained(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending !== null) {
      this.#send();
      await this.#sending;
    }
  }

  #send(): void {
    if (this.#sending !== null || this.#waiting.length === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isOver) {
      const batch = this.#nextBatch();
      this.#inFlight = batch.length;
      const hasGivenUp = this.#failures >= (this.#ports.signal?.aborted === true ? 1 : mostFailures);
      const problem = hasGivenUp ? this.#problem : await this.#post(batch);
      this.#inFlight = 0;
      if (problem === null) this.#failures = 0;
      else {
        this.#failures += 1;
        this.#lost += batch.length;
        this.#problem = problem;
      }
    }
  }

  #nextBatch(): readonly SentSpan[] {
    let chars = 0;
    let count = 0;
    for (const one of this.#waiting) {
      if (count === batchSize || (count > 0 && chars + one.chars > batchChars)) break;
      chars += one.chars;
      count += 1;
    }
    this.#chars -= chars;
    return this.#waiting.splice(0, count).map(({ span }) => span);
  }

  /** Null if the collector took them, else why not. */
  async #post(batch: readonly SentSpan[]): Promise<string | null> {
    const { url, headers, protocol, isCompressed, resource, timeoutMs } = this.#settings;
    const { http, clock } = this.#ports;
    const written = renderRequest(batch, resource);
    const plain = protocol === "http/json" ? Buffer.from(JSON.stringify(written)) : encodeRequest(written);
    const bytes = isCompressed ? await promisify(gzip)(plain) : plain;
    const type = protocol === "http/json" ? "application/json" : "application/x-protobuf";
    const packed: Record<string, string> = isCompressed ? { "content-encoding": "gzip" } : {};
    const timeouts = { connectMs: timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs, requestMs: timeoutMs };
    const signal = this.#ports.signal ?? new AbortController().signal;
    const send = (): Promise<HttpOutcome> =>
      http.send(
        { url, method: "POST", headers: { ...headers, "content-type": type, ...packed }, bytes, timeouts },
        // What is left at an interruption is sent, too; it takes no longer than a request may.
        { signal: new AbortController().signal },
      );
    for (const [attempt, waitMs] of [...retryMs, null].entries()) {
      const outcome = await send();
      if (outcome.success && outcome.data.status >= 200 && outcome.data.status < 300) return null;
      const isTemporary = outcome.success && worthRetrying.has(outcome.data.status);
      if (!isTemporary || waitMs === null || signal.aborted || attempt === retryMs.length) return describe(outcome);
      await clock.sleep(waitMs, signal);
    }
    return null;
  }
}

function describe(outcome: HttpOutcome): string {
  if (!outcome.success) {
    const { error } = outcome;
    return error.kind === "timeout"
      ? `no reply within ${error.ms} ms`
      : "message" in error
        ? error.message
        : error.kind;
  }
  const { status, body } = outcome.data;
  const said = /[^\x20-\x7e\n]/.test(body) ? "" : body.trim().slice(0, 200);
  return `status ${status}${said === "" ? "" : `: ${said}`}`;
}

function sizeOf({ attributes, events = [] }: SentSpan): number {
  const all = [attributes, ...events.map((event) => event.attributes)];
  return all.reduce(
    (sum, one) => sum + Object.values(one).reduce<number>((n, v) => n + (typeof v === "string" ? v.length : 16), 0),
    200,
  );
}

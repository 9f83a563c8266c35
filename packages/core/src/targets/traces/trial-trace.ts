import type { KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import { failure, type Result } from "../../result.js";
import { concernsAgent, readConversation, type TracedConversation } from "../../traces/read-conversation.js";
import type { Span } from "../../traces/span.js";
import type { Clock } from "../../values/clock.js";
import { renderDuration } from "../../values/duration.js";
import { plural } from "../../values/plural.js";
import { untraced } from "../program/target-error.js";
import type { TraceSettings } from "./trace-settings.js";
import { createSpanId, createTraceId, traceparentOf } from "./traceparent.js";

/** What else is known of the requests that came while a trial waited. */
export interface ReceiverState {
  requests: number;
  /** Why the last request that was refused was; null if none was. */
  rejected: string | null;
  /** Spans that belong to no trial. */
  strangers: number;
}

export interface TrialTracePorts {
  clock: Clock;
  settings: TraceSettings;
  /** Where the agent sends its spans. */
  endpoint: string;
  state(): ReceiverState;
}

/** The spans that one trial gave rise to. */
export class TrialTrace {
  readonly traceId = createTraceId();
  readonly #ports: TrialTracePorts;
  /** IDs that a span may name as its parent: those of spans, and of messages to the agent. */
  readonly #ids = new Set<string>();
  /** IDs of spans that were handed over. Exporters that try again send them again. */
  readonly #evaluated = new Set<string>();
  #spans: Span[] = [];
  #arrived: () => void = () => {};

  constructor(ports: TrialTracePorts) {
    this.#ports = ports;
  }

  get endpoint(): string {
    return this.#ports.endpoint;
  }

  /** The context of a message to the agent: each is a span, whose children are those of the agent. */
  nextTraceparent(): string {
    const spanId = createSpanId();
    this.#ids.add(spanId);
    return traceparentOf(this.traceId, spanId);
  }

  take(spans: readonly Span[]): void {
    for (const span of spans) {
      this.#ids.add(span.spanId);
      if (!this.#evaluated.has(span.spanId)) this.#spans.push(span);
    }
    this.#arrived();
  }

  /**
   * The conversation that the agent's spans since the last call give. Waits until they are whole and no more come, and no
   * longer than set. Fails with TARGET_ERROR if none come, or one cannot be read.
   */
  async conversation(signal: AbortSignal): Promise<Result<TracedConversation>> {
    const { clock, settings } = this.#ports;
    const until = clock.monotonic() + settings.waitMs;
    for (;;) {
      const isWhole = this.#isWhole();
      const left = until - clock.monotonic();
      const count = this.#spans.length;
      if (left <= 0) break;
      await this.#moreSpans(isWhole ? Math.min(settings.quietMs, left) : left, signal);
      if (signal.aborted) return failure(trialStopped());
      if (isWhole && this.#spans.length === count) break;
    }
    const spans = this.#spans;
    this.#spans = [];
    for (const { spanId } of spans) this.#evaluated.add(spanId);
    if (!spans.some(concernsAgent)) return failure(this.#noSpans(spans));
    const read = readConversation(spans);
    if (read.success) return read;
    const [first, ...more] = read.error;
    const others = more.length === 0 ? "" : ` (and ${plural(more.length, "more problem")})`;
    return failure(untraced(`${first?.message ?? "The spans cannot be read"}${others}`, first?.hint));
  }

  /** Nothing that a span refers to is missing, and the agent has nothing left to do. */
  #isWhole(): boolean {
    if (!this.#spans.some(concernsAgent)) return false;
    if (this.#spans.some(({ parentId }) => parentId !== null && !this.#ids.has(parentId))) return false;
    const read = readConversation(this.#spans);
    if (!read.success) return true;
    const last = read.data.conversation?.trial.messages?.at(-1);
    return last?.role === "assistant" && last.toolCalls.length === 0;
  }

  async #moreSpans(ms: number, signal: AbortSignal): Promise<void> {
    const left = new AbortController();
    const arrived = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    await Promise.race([arrived, this.#ports.clock.sleep(ms, AbortSignal.any([signal, left.signal]))]);
    this.#arrived = () => {};
    left.abort();
  }

  #noSpans(spans: readonly Span[]): KindlmError {
    const { endpoint, settings, state } = this.#ports;
    const { requests, rejected, strangers } = state();
    const wait = renderDuration(settings.waitMs);
    if (spans.length > 0) {
      const names = [...new Set(spans.map(({ name }) => name))].slice(0, 3).join(", ");
      return untraced(
        `None of the ${plural(spans.length, "span")} of the trial is of a model, a tool, or an agent: ${names}`,
        "Add the instrumentation of the model's client or of the agent framework",
      );
    }
    if (strangers > 0) {
      return untraced(
        `No span of the trial arrived within ${wait}, but ${plural(strangers, "span")} of other traces`,
        "The agent must continue the trace of the traceparent that it receives. Extract it from the header or the environment",
      );
    }
    if (requests > 0) {
      const why = rejected === null ? "" : `. A request was rejected: ${rejected}`;
      return untraced(`No span of the trial arrived within ${wait}${why}`, checks(endpoint));
    }
    return untraced(`No span arrived at ${endpoint} within ${wait}`, checks(endpoint));
  }
}

function checks(endpoint: string): string {
  return `Check that the agent starts an OpenTelemetry SDK, that its exporter sends OTLP over HTTP to ${endpoint}, that it flushes its spans before it ends, and that traces.wait is longer than OTEL_BSP_SCHEDULE_DELAY`;
}

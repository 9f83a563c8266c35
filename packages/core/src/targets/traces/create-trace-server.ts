import { randomBytes } from "node:crypto";
import type { Diagnostic } from "../../errors/error-table.js";
import { failure, success, type Result } from "../../result.js";
import type { TakeSpans } from "../../traces/otlp-handler.js";
import type { OtlpServer } from "../../traces/otlp-server.js";
import type { Span } from "../../traces/span.js";
import type { Clock } from "../../values/clock.js";
import { textOf } from "../../values/json.js";
import { plural } from "../../values/plural.js";
import { untraced } from "../program/target-error.js";
import type { TraceSettings } from "./trace-settings.js";
import type { ReceiverState, TrialTrace } from "./trial-trace.js";

/** The spans of one trial, and where its agent sends them. */
export interface OpenTrace {
  trace: TrialTrace;
  close(): void;
}

/** Receives the spans of the agents of a run. */
export interface TraceServer {
  /** Starts to listen at the first call for an address. `name`: the trial, as people are to see it. */
  open(settings: TraceSettings, name: string, clock: Clock): Promise<Result<OpenTrace>>;
  close(): Promise<void>;
  /** Spans that were evaluated for no trial. */
  warnings(): readonly Diagnostic[];
}

/** One server for each address that targets name. What a run without traces pays is this object. */
export function createTraceServer(): TraceServer {
  const routers = new Map<string, { router: SpanRouter; server: Promise<Result<OtlpServer>> }>();
  const listenAt = async ({ host, port }: TraceSettings) => {
    const address = `${host} ${port ?? 0}`;
    const known = routers.get(address);
    if (known !== undefined) return known;
    const router = new SpanRouter();
    const opened = { router, server: startServer(host, port ?? 0, router) };
    routers.set(address, opened);
    return opened;
  };
  return {
    async open(settings, name, clock) {
      const { router, server } = await listenAt(settings);
      const started = await server;
      if (!started.success) {
        const hint = "Another run may listen there. Set traces.port of the target, and send the spans there";
        return failure(untraced(started.error.message, hint));
      }
      const { TrialTrace: Trace } = await import("./trial-trace.js");
      // A path for each trial: what arrives there is the trial's, whatever trace the agent begins.
      const place = `/${randomBytes(16).toString("hex")}`;
      const endpoint = settings.isOwn ? `${started.data.url}${place}` : started.data.url;
      const trace = new Trace({ clock, settings, endpoint, state: () => router.state });
      return success({ trace, close: router.open(trace, { place, name }) });
    },
    async close() {
      for (const { server } of routers.values()) {
        const started = await server;
        if (started.success) await started.data.close();
      }
    },
    warnings: () => [...routers.values()].flatMap(({ router }) => router.warnings()),
  };
}

async function startServer(host: string, port: number, router: SpanRouter): Promise<Result<OtlpServer>> {
  // Spans are read by code that runs without them have no use for.
  const [{ openOtlpServer }, { createOtlpHandler }] = await Promise.all([
    import("../../traces/otlp-server.js"),
    import("../../traces/otlp-handler.js"),
  ]);
  return openOtlpServer(host, port, createOtlpHandler(router.take, router.onRequest));
}

interface Routed {
  /** Null once the trial is over: spans that come later are late. */
  trace: TrialTrace | null;
  /** What stands before `/v1/traces` in the address that only this trial has. */
  place: string;
  name: string;
}

/** How many traces of others a warning counts. */
const mostTraces = 10_000;

/** Hands each span to the trial that gave rise to it, by the address that it was sent to, its trace or a link. */
class SpanRouter {
  readonly #byPlace = new Map<string, Routed>();
  readonly #byTrace = new Map<string, Routed>();
  readonly #late = new Map<string, number>();
  readonly #strangers = { spans: 0, traces: new Set<string>(), services: new Set<string>() };
  #requests = 0;
  #rejected: string | null = null;

  get state(): ReceiverState {
    return { requests: this.#requests, rejected: this.#rejected, strangers: this.#strangers.spans };
  }

  /** Returns what is to be called when the trial is over. */
  open(trace: TrialTrace, { place, name }: Pick<Routed, "place" | "name">): () => void {
    const routed: Routed = { trace, place, name };
    this.#byPlace.set(place, routed);
    this.#byTrace.set(trace.traceId, routed);
    return () => {
      routed.trace = null;
    };
  }

  readonly onRequest = (rejected: string | null): void => {
    this.#requests += 1;
    this.#rejected = rejected ?? this.#rejected;
  };

  readonly take: TakeSpans = (spans, place) => {
    const owner = this.#byPlace.get(place);
    for (const { traceId, links } of spans) {
      const linked = links.flatMap((id) => this.#byTrace.get(id) ?? [])[0];
      if (linked !== undefined && !this.#byTrace.has(traceId)) this.#byTrace.set(traceId, linked);
    }
    const own = new Map<TrialTrace, Span[]>();
    for (const span of spans) {
      const routed = owner ?? this.#byTrace.get(span.traceId);
      if (routed === undefined) this.#addStranger(span);
      else if (routed.trace === null) this.#late.set(routed.name, (this.#late.get(routed.name) ?? 0) + 1);
      else {
        const list = own.get(routed.trace) ?? [];
        list.push(span);
        own.set(routed.trace, list);
      }
    }
    for (const [trace, list] of own) trace.take(list);
    return success(undefined);
  };

  warnings(): readonly Diagnostic[] {
    const { spans, traces, services } = this.#strangers;
    const found: Diagnostic[] = [];
    if (spans > 0) {
      const of = services.size === 0 ? "" : ` (service ${[...services].slice(0, 3).join(", ")})`;
      const many = traces.size >= mostTraces ? `at least ${plural(mostTraces, "trace")}` : plural(traces.size, "trace");
      found.push({
        code: "TARGET_ERROR",
        severity: "warning",
        message: `${plural(spans, "span")} of ${many} that no trial started arrived and were not evaluated${of}`,
        hint: "Other programs may send there, or the agent does not continue the trace of its traceparent",
      });
    }
    const [first] = this.#late.keys();
    if (first !== undefined) {
      const late = [...this.#late.values()].reduce((sum, count) => sum + count, 0);
      const others = this.#late.size === 1 ? "" : ` and ${plural(this.#late.size - 1, "other trial")}`;
      found.push({
        code: "TARGET_ERROR",
        severity: "warning",
        message: `${plural(late, "span")} arrived after the evaluation of ${first}${others}`,
        hint: "Raise traces.wait and traces.quiet of the target, or lower OTEL_BSP_SCHEDULE_DELAY of the agent",
      });
    }
    return found;
  }

  #addStranger({ traceId, resource }: Span): void {
    const { traces, services } = this.#strangers;
    this.#strangers.spans += 1;
    if (traces.size < mostTraces) traces.add(traceId);
    const service = textOf(resource.get("service.name"));
    if (service !== "" && services.size < 4) services.add(service);
  }
}

import type { Diagnostic } from "../../errors/error-table.js";
import { success } from "../../result.js";
import type { TakeSpans } from "../../traces/otlp-handler.js";
import type { Span } from "../../traces/span.js";
import { textOf } from "../../values/json.js";
import { plural } from "../../values/plural.js";
import type { ReceiverState, TrialTrace } from "./trial-trace.js";

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
export class SpanRouter {
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

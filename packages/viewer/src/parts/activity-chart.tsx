import { plural, renderCount } from "../../../core/src/values/plural.js";
import { renderDuration } from "../../../core/src/values/duration.js";
import { sumsOf, stepArea } from "../logic/chart-geometry.js";
import type { ReportActivity, ReportProvider } from "../report-data.js";

const width = 460;
const left = 36;
const plot = width - left - 4;
const height = 84;
const axis = 22;

/** Why a run was slow: how many requests were in flight, and how many waited for what. */
export function ActivityChart({ provider }: { provider: ReportProvider }) {
  const { name, requests, errors, rateLimits, activity } = provider;
  const facts = [plural(requests, "request"), plural(errors, "error"), plural(rateLimits, "rate limit")];
  return (
    <figure class="chart">
      <figcaption>{name}: requests in flight and waiting</figcaption>
      {activity === null ? null : <Areas name={name} activity={activity} />}
      <p class="meta">
        {facts.join(", ")}
        {activity !== null && activity.breaksMs > 0
          ? `, without ${renderDuration(activity.breaksMs)} between sessions`
          : ""}
      </p>
    </figure>
  );
}

interface Layer {
  kind: string;
  values: readonly number[];
  text: string;
}

/** In the order in which they lie on top of one another. */
function layersOf({ stepMs, inFlight, waits }: ReportActivity): readonly Layer[] {
  const upTo = (values: readonly number[]): string => `up to ${renderCount(Math.ceil(Math.max(...values)))}`;
  const waited = waits.map(({ reason, waiting }) => {
    const ms = stepMs * waiting.reduce((sum, value) => sum + value, 0);
    const text = `${reason}: ${renderDuration(ms)} in all, ${upTo(waiting)}`;
    return { kind: reason.replace(" ", "-"), values: waiting, text };
  });
  return [{ kind: "flights", values: inFlight, text: `in flight: ${upTo(inFlight)}` }, ...waited];
}

function Areas({ name, activity }: { name: string; activity: ReportActivity }) {
  const { stepMs, inFlight, rejected } = activity;
  const layers = layersOf(activity);
  const stacked = sumsOf(layers.map(({ values }) => values));
  const most = Math.max(1, Math.ceil(Math.max(...(stacked.at(-1) ?? []))));
  const end = renderDuration(stepMs * inFlight.length);
  const refused = rejected.reduce((sum, count) => sum + count, 0);
  const keys: readonly Omit<Layer, "values">[] =
    refused === 0 ? layers : [...layers, { kind: "rejected", text: `rejected, circuit open: ${renderCount(refused)}` }];
  return (
    <>
      <svg
        role="img"
        aria-label={`${name} over ${end}. ${keys.map(({ text }) => text).join("; ")}`}
        viewBox={`0 0 ${width} ${height + axis}`}
      >
        <Tick x={left - 8} y={10} anchor="end" text={renderCount(most)} />
        <Tick x={left - 8} y={height} anchor="end" text="0" />
        <Tick x={left} y={height + 16} anchor="start" text="0 s" />
        <Tick x={left + plot} y={height + 16} anchor="end" text={end} />
        <g transform={`translate(${left} 0)`}>
          <line class="grid" x1="0" x2={plot} y1="0.5" y2="0.5" />
          {layers
            .map(({ kind }, at) => <path key={kind} class={kind} d={stepArea(stacked[at] ?? [], most, plot, height)} />)
            .toReversed()}
          <line class="zero" x1="0" x2={plot} y1={height} y2={height} />
          {rejected.map((count, at) =>
            count === 0 ? null : (
              <rect key={at} class="rejected" x={(at * plot) / rejected.length} y={height - 6} width="2" height="6" />
            ),
          )}
        </g>
      </svg>
      <p class="meta">
        {keys.map(({ kind, text }) => (
          <span key={kind} class={`key ${kind}`}>
            {text}
          </span>
        ))}
      </p>
    </>
  );
}

function Tick({ x, y, anchor, text }: { x: number; y: number; anchor: "start" | "end"; text: string }) {
  return (
    <text class="tick" x={x} y={y} text-anchor={anchor}>
      {text}
    </text>
  );
}

import { renderDuration } from "../../../core/src/values/duration.js";
import { createScale, placeSpans, timeByKind } from "../logic/chart-geometry.js";
import type { ReportSpan, ReportTrial } from "../report-detail.js";

const names: Readonly<Record<ReportSpan["kind"], string>> = {
  model: "model",
  tool: "tools",
  wait: "waiting",
  judge: "judges",
  user: "simulated user",
};
const width = 1000;
const lane = 14;

/** Where the time of a trial went. */
export function Timeline({ trial: { spans, durationMs } }: { trial: ReportTrial }) {
  if (spans.length === 0) return null;
  const end = Math.max(durationMs, ...spans.map((span) => span.startMs + span.durationMs));
  const { at } = createScale(0, end, width);
  const placed = placeSpans(spans);
  const lanes = Math.max(...placed.map((span) => span.lane)) + 1;
  const sums = timeByKind(spans);
  const summary = sums.map(({ kind, ms }) => `${names[kind]} ${renderDuration(ms)}`).join(", ");
  return (
    <figure class="timeline">
      <svg
        role="img"
        aria-label={`Timeline of ${renderDuration(end)}: ${summary}`}
        viewBox={`0 0 ${width} ${lanes * lane}`}
        preserveAspectRatio="none"
        style={{ height: `${lanes * lane}px` }}
      >
        {placed.map((span, place) => (
          <rect
            key={place}
            class={`${span.kind} ${span.isTrouble === true ? "trouble" : ""}`}
            x={at(span.startMs)}
            y={span.lane * lane + 2}
            width={Math.max(2, at(span.startMs + span.durationMs) - at(span.startMs) - 1)}
            height={lane - 4}
            rx="2"
          >
            <title>{`${span.name}: ${renderDuration(span.durationMs)} from ${renderDuration(span.startMs)}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="meta">
        {sums.map(({ kind, ms }) => (
          <span key={kind} class={`key ${kind}`}>
            {names[kind]} {renderDuration(ms)}
          </span>
        ))}
        <span>{renderDuration(end)} in all</span>
      </figcaption>
    </figure>
  );
}

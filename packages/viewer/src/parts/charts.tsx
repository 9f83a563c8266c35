import type { ComparedSuite } from "@kindlm/core";
import { percent, points } from "../../../core/src/values/percent.js";
import { createScale, differenceBounds, rateBounds } from "../logic/chart-geometry.js";
import type { ReportModel } from "../report-data.js";

const width = 460;
const left = 132;
const rowHeight = 30;
const axis = 24;

interface IntervalRow {
  name: string;
  mean: number;
  interval: readonly [number, number] | readonly number[];
  text: string;
  /** Of the point, where it says more than the place. */
  status: string;
}

/** Points with their intervals below one another, on one axis. */
function IntervalChart({
  title,
  rows,
  bounds,
  tick,
  zero,
}: {
  title: string;
  rows: readonly IntervalRow[];
  bounds: readonly [number, number];
  tick(value: number): string;
  zero?: boolean;
}) {
  const { at, ticks } = createScale(bounds[0], bounds[1], width - left - 24);
  const height = rows.length * rowHeight;
  const x = (value: number): number => left + at(value);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg
        role="img"
        aria-label={`${title}. ${rows.map(({ name, text }) => `${name}: ${text}`).join("; ")}`}
        viewBox={`0 0 ${width} ${height + axis}`}
      >
        {ticks.map((value) => (
          <g key={value}>
            <line
              class={zero === true && Math.abs(value) < 1e-9 ? "zero" : "grid"}
              x1={x(value)}
              x2={x(value)}
              y1="0"
              y2={height}
            />
            <text class="tick" x={x(value)} y={height + 16} text-anchor="middle">
              {tick(value)}
            </text>
          </g>
        ))}
        {rows.map(({ name, mean, interval: [low = mean, high = mean], text, status }, row) => (
          <g key={name} transform={`translate(0 ${row * rowHeight + rowHeight / 2})`} class={status}>
            <title>{`${name}: ${text}`}</title>
            <text class="name" x="0" y="4">
              {name.length > 20 ? `${name.slice(0, 19)}…` : name}
            </text>
            <line class="interval" x1={x(low)} x2={x(high)} y1="0" y2="0" />
            <line class="interval" x1={x(low)} x2={x(low)} y1="-4" y2="4" />
            <line class="interval" x1={x(high)} x2={x(high)} y1="-4" y2="4" />
            <circle cx={x(mean)} cy="0" r="4.5" />
          </g>
        ))}
      </svg>
    </figure>
  );
}

/** Whether models differ: where their intervals overlap, the run does not say. */
export function RateChart({ models }: { models: readonly ReportModel[] }) {
  const rows = models.flatMap(({ name, rate, interval }) => {
    if (rate === null) return [];
    const [low, high] = interval ?? [rate, rate];
    return [
      {
        name,
        mean: rate,
        interval: [low, high],
        text: `${percent(rate)} (${percent(low)} to ${percent(high)})`,
        status: "",
      },
    ];
  });
  if (rows.length === 0) return null;
  return (
    <IntervalChart
      title="Pass rate per model, 95% interval"
      rows={rows}
      bounds={rateBounds(rows.map(({ interval: [low = 0] }) => low))}
      tick={percent}
    />
  );
}

interface DifferenceRow {
  name: string;
  mean: number;
  interval: readonly [number, number];
}

/** Whether it became worse: an interval left of zero says so. */
export function DifferenceChart({ title, rows }: { title: string; rows: readonly DifferenceRow[] }) {
  if (rows.length === 0) return null;
  return (
    <IntervalChart
      title={title}
      rows={rows.map(({ name, mean, interval }) => ({
        name,
        mean,
        interval,
        text: `${points(mean)} points (${interval.map(points).join(" to ")})`,
        status: interval[1] < 0 ? "failed" : interval[0] > 0 ? "passed" : "",
      }))}
      bounds={differenceBounds(rows.flatMap(({ interval }) => [...interval]))}
      tick={points}
      zero
    />
  );
}

/** The suites that have a difference, as rows of the chart. */
export function differencesOf(suites: readonly ComparedSuite[]): readonly DifferenceRow[] {
  return suites.flatMap(({ suite, meanDifference, interval }) =>
    meanDifference === null || interval === null ? [] : [{ name: suite, mean: meanDifference, interval }],
  );
}

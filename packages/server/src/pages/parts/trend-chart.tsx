import type { Child } from "hono/jsx";
import { visibleLine } from "@kindlm/core/program";

const [width, height] = [400, 170];
const [left, right, top, bottom] = [58, 14, 14, 26];

export interface ChartPoint {
  /** Null for a run that says nothing. */
  value: number | null;
  interval?: readonly [number, number] | null;
  /** Of the run. */
  href: string;
  /** Such as `2026-02-15 10:30: 50%`. */
  words: string;
  changed: readonly string[];
  startedMs: number;
}

interface ChartProps {
  /** Apart from all others of the page. */
  id: string;
  title: string;
  points: readonly ChartPoint[];
  /** Of the axis. Default: what the values need, from 0. */
  most?: number;
  render(value: number): string;
  caption?: Child;
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A round number that is not below the value: 1, 2, 5 or 10 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10;
  return factor * power;
}

/** What a reader who does not see the chart is told; the table has every figure. */
function describeChart(points: readonly ChartPoint[], render: (value: number) => string): string {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const [first, last] = [values.at(0), values.at(-1)];
  if (first === undefined || last === undefined) return "No values.";
  const range = `between ${render(Math.min(...values))} and ${render(Math.max(...values))}`;
  return `${values.length} runs, from ${render(first)} to ${render(last)}, ${range}. The table has all values.`;
}

/** Values of runs in their order, with intervals as a band, and marks where the agent or the check changed. */
export function TrendChart({ id, title, points, most, render, caption }: ChartProps) {
  const highest = Math.max(...points.flatMap(({ value, interval }) => [value ?? 0, interval?.[1] ?? 0]));
  const bound = most ?? roundUp(highest);
  const step = (width - left - right) / Math.max(1, points.length - 1);
  const x = (at: number): number =>
    Math.round((points.length === 1 ? (left + width - right) / 2 : left + at * step) * 10) / 10;
  const y = (value: number): number =>
    Math.round((height - bottom - (value / bound) * (height - top - bottom)) * 10) / 10;
  const known = points.flatMap((point, at) => (point.value === null ? [] : [{ ...point, value: point.value, at }]));
  const banded = known.flatMap(({ at, interval }) =>
    interval === undefined || interval === null ? [] : [{ at, interval }],
  );
  const band = [
    ...banded.map(({ at, interval: [, high] }) => `${x(at)},${y(high)}`),
    ...banded.toReversed().map(({ at, interval: [low] }) => `${x(at)},${y(low)}`),
  ].join(" ");
  return (
    <figure class="chart">
      <figcaption>{caption ?? title}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-desc`}
      >
        <title id={`${id}-title`}>{visibleLine(title)}</title>
        <desc id={`${id}-desc`}>{describeChart(points, render)}</desc>
        <g aria-hidden="true">
          {[0, bound / 2, bound].map((value) => (
            <>
              <line class="grid" x1={left} x2={width - right} y1={y(value)} y2={y(value)} />
              <text class="tick" x={left - 8} y={y(value) + 4} text-anchor="end">
                {render(value)}
              </text>
            </>
          ))}
          <Dates points={points} />
          {points.map(({ changed }, at) =>
            changed.length === 0 ? null : (
              <line class="changed" x1={x(at)} x2={x(at)} y1={top} y2={height - bottom}>
                <title>{`${changed.join(" and ")} changed`}</title>
              </line>
            ),
          )}
          {banded.length < 2 ? null : <polygon class="band" points={band} />}
          {banded.length === 1 ? (
            <Whisker x={x(banded[0]?.at ?? 0)} ends={banded[0]?.interval ?? [0, 0]} y={y} />
          ) : null}
          <polyline class="line" points={known.map(({ at, value }) => `${x(at)},${y(value)}`).join(" ")} />
          {known.map(({ at, value, href, words }) => (
            <a href={href} tabindex={-1}>
              <title>{words}</title>
              <circle class="point" cx={x(at)} cy={y(value)} r={points.length > 40 ? 3 : 4.5} />
            </a>
          ))}
        </g>
      </svg>
    </figure>
  );
}

/** The interval of a single run, which makes no band. */
function Whisker({ x, ends, y }: { x: number; ends: readonly [number, number]; y(value: number): number }) {
  return <line class="whisker" x1={x} x2={x} y1={y(ends[0])} y2={y(ends[1])} />;
}

function Dates({ points }: Pick<ChartProps, "points">) {
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isOne = day(first.startedMs) === day(last.startedMs);
  return (
    <>
      <text class="tick" x={left} y={height - 8}>
        {day(first.startedMs)}
      </text>
      {isOne ? null : (
        <text class="tick" x={width - right} y={height - 8} text-anchor="end">
          {day(last.startedMs)}
        </text>
      )}
    </>
  );
}

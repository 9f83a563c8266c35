import type { ReportSpan } from "../report-detail.js";

/** From values to places on an axis. */
export interface Scale {
  at(value: number): number;
  /** Round values to write at the axis. */
  ticks: readonly number[];
}

/** An axis from `low` to `high` over a width, with about as many ticks as asked for. */
export function createScale(low: number, high: number, width: number, wanted = 5): Scale {
  const span = high > low ? high - low : 1;
  const raw = span / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= low + span + step * 1e-9; at += 1) ticks.push(at * step);
  return { at: (value) => ((Math.min(Math.max(value, low), low + span) - low) / span) * width, ticks };
}

/** The bounds of an axis of rates: the whole of 0 to 1, or its upper part where all values lie there. */
export function rateBounds(values: readonly number[]): readonly [number, number] {
  const lowest = Math.min(1, ...values);
  return [lowest >= 0.8 ? 0.75 : lowest >= 0.55 ? 0.5 : 0, 1];
}

/** The bounds of an axis of differences: zero in the middle. */
export function differenceBounds(values: readonly number[]): readonly [number, number] {
  const widest = Math.max(0.1, ...values.map(Math.abs));
  const rounded = Math.min(1, Math.ceil(widest * 10) / 10);
  return [-rounded, rounded];
}

export interface PlacedSpan extends ReportSpan {
  lane: number;
}

/** Lays spans out so that those that overlap are in different lanes. A span goes into the first lane that is free. */
export function placeSpans(spans: readonly ReportSpan[]): readonly PlacedSpan[] {
  const ends: number[] = [];
  return spans
    .toSorted((a, b) => a.startMs - b.startMs)
    .map((span) => {
      const free = ends.findIndex((end) => end <= span.startMs + 0.5);
      const lane = free === -1 ? ends.length : free;
      ends[lane] = span.startMs + span.durationMs;
      return { ...span, lane };
    });
}

/** Milliseconds by kind of span, the longest first. */
export function timeByKind(spans: readonly ReportSpan[]): readonly { kind: ReportSpan["kind"]; ms: number }[] {
  const sums = new Map<ReportSpan["kind"], number>();
  for (const { kind, durationMs } of spans) sums.set(kind, (sums.get(kind) ?? 0) + durationMs);
  return [...sums].map(([kind, ms]) => ({ kind, ms })).toSorted((a, b) => b.ms - a.ms);
}

/** Each list plus those before it, place by place, so that areas lie on top of one another. */
export function sumsOf(lists: readonly (readonly number[])[]): readonly (readonly number[])[] {
  let sum: readonly number[] = [];
  return lists.map((values) => (sum = values.map((value, at) => value + (sum[at] ?? 0))));
}

/** The outline of an area of steps, as the `d` of a path. */
export function stepArea(values: readonly number[], top: number, width: number, height: number): string {
  if (values.length === 0) return "";
  const wide = width / values.length;
  const steps = values.map((value, at) => {
    const y = round(height - (value / Math.max(top, 1)) * height);
    return `L${round(at * wide)} ${y}L${round((at + 1) * wide)} ${y}`;
  });
  return `M0 ${round(height)}${steps.join("")}L${round(width)} ${round(height)}Z`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

import { expect, it } from "vitest";
import type { ReportSpan } from "../report-detail.js";
import {
  createScale,
  differenceBounds,
  placeSpans,
  rateBounds,
  stepArea,
  sumsOf,
  timeByKind,
} from "./chart-geometry.js";

it("places values on an axis with round ticks", () => {
  const { at, ticks } = createScale(0.5, 1, 200);
  expect(ticks.map((value) => Math.round(value * 100))).toEqual([50, 60, 70, 80, 90, 100]);
  expect([at(0.5), at(0.75), at(1)]).toEqual([0, 100, 200]);
  expect([at(0), at(2)]).toEqual([0, 200]);
  expect(createScale(0, 0, 10).at(0)).toBe(0);
  expect(createScale(-0.6, 0.6, 10).ticks.some((value) => Math.abs(value) < 1e-9)).toBe(true);
});

it("shows rates from where the lowest lies, and differences around zero", () => {
  expect(rateBounds([0.9, 0.99])).toEqual([0.75, 1]);
  expect(rateBounds([0.6])).toEqual([0.5, 1]);
  expect(rateBounds([0.6, 0.2])).toEqual([0, 1]);
  expect(rateBounds([])).toEqual([0.75, 1]);
  expect(differenceBounds([-0.62, 0.1])).toEqual([-0.7, 0.7]);
  expect(differenceBounds([])).toEqual([-0.1, 0.1]);
  expect(differenceBounds([-1, 1])).toEqual([-1, 1]);
});

const span = (startMs: number, durationMs: number, kind: ReportSpan["kind"] = "tool"): ReportSpan => ({
  kind,
  name: "x",
  startMs,
  durationMs,
});

it("puts spans that overlap into different lanes", () => {
  const lanes = (spans: readonly ReportSpan[]) => placeSpans(spans).map(({ lane }) => lane);
  expect(lanes([span(0, 10), span(10, 5), span(15, 1)])).toEqual([0, 0, 0]);
  expect(lanes([span(0, 10), span(2, 10), span(4, 2), span(11, 2)])).toEqual([0, 1, 2, 0]);
  expect(placeSpans([span(5, 1), span(0, 1)]).map(({ startMs }) => startMs)).toEqual([0, 5]);
});

it("sums time by kind, the longest first", () => {
  expect(timeByKind([span(0, 1), span(1, 5, "model"), span(6, 2)])).toEqual([
    { kind: "model", ms: 5 },
    { kind: "tool", ms: 3 },
  ]);
});

it("lays areas on top of one another, and draws them as steps", () => {
  expect(
    sumsOf([
      [1, 2],
      [0, 3],
      [4, 0],
    ]),
  ).toEqual([
    [1, 2],
    [1, 5],
    [5, 5],
  ]);
  expect(stepArea([0, 2], 2, 10, 4)).toBe("M0 4L0 4L5 4L5 0L10 0L10 4Z");
  expect(stepArea([], 2, 10, 4)).toBe("");
});

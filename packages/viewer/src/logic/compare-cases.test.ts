import { expect, it } from "vitest";
import { makeCase, makeIndex } from "../__fixtures__/make-report.js";
import type { ReportComparison } from "../report-data.js";
import { compareCases, contrastsOf, hasChanged } from "./compare-cases.js";

const other = { passes: 3, counted: 3, costUsd: 0.01, latencyMs: 900 };
const baseline: ReportComparison = {
  by: "baseline",
  name: "2026-11-20",
  verdict: "regressed",
  suites: [],
  cases: [
    { id: "s/same@gpt", case: 0, ...other },
    { id: "s/worse@gpt", case: 1, ...other, calls: { before: ["pay"], after: [] } },
    { id: "s/better@gpt", case: 2, ...other, passes: 0 },
    { id: "s/gone@gpt", case: null, ...other },
    { id: "s/asked@gpt", case: 3, ...other, reason: "the check changed" },
    { id: "s/calls@gpt", case: 4, ...other, calls: { before: ["look"], after: ["pay"] } },
  ],
};
const cases = [
  makeCase({ id: "s/same@gpt" }),
  makeCase({ id: "s/worse@gpt", passes: 1 }),
  makeCase({ id: "s/better@gpt", passes: 2 }),
  makeCase({ id: "s/asked@gpt", passes: 0 }),
  makeCase({ id: "s/calls@gpt" }),
  makeCase({ id: "s/new@gpt" }),
  makeCase({ id: "s/skipped@gpt", status: "skipped", counted: 0 }),
];

it("compares with a baseline, the worst first", () => {
  const index = makeIndex(cases, { comparisons: [baseline] });
  const [contrast] = contrastsOf(index);
  if (contrast === undefined) throw new Error("There is a baseline");
  const rows = compareCases(index, contrast);
  expect(rows.map(({ id, difference }) => [id, difference])).toEqual([
    ["s/worse@gpt", 1 / 3 - 1],
    ["s/same@gpt", 0],
    ["s/calls@gpt", 0],
    ["s/better@gpt", 2 / 3],
    ["s/gone@gpt", null],
    ["s/asked@gpt", null],
    ["s/new@gpt", null],
  ]);
  expect(rows.filter(hasChanged).map(({ id }) => id)).toEqual([
    "s/worse@gpt",
    "s/calls@gpt",
    "s/better@gpt",
    "s/gone@gpt",
    "s/new@gpt",
  ]);
});

it("compares two models case by case, by the id without them", () => {
  const index = makeIndex([
    makeCase({ id: "s/a[x@gpt]@gpt", passes: 3 }),
    makeCase({ id: "s/a[x@gpt]@claude#short", model: 1, passes: 1 }),
    makeCase({ id: "s/b@gpt+timeout" }),
    makeCase({ id: "s/b@claude#short+timeout", model: 1 }),
    makeCase({ id: "s/c@gpt", counted: 0, status: "errored" }),
    makeCase({ id: "s/c@claude#short", model: 1 }),
    makeCase({ id: "s/d@gpt" }),
  ]);
  const [contrast] = contrastsOf(index);
  if (contrast === undefined) throw new Error("There are two models");
  expect(contrast).toMatchObject({ key: "gpt..claude#short", before: "gpt", after: "claude#short" });
  expect(
    compareCases(index, contrast).map(({ id, beforeCase, afterCase, difference }) => [
      id,
      beforeCase,
      afterCase,
      difference,
    ]),
  ).toEqual([
    ["s/a[x@gpt]", 0, 1, 1 / 3 - 1],
    ["s/b+timeout", 2, 3, 0],
    ["s/c", 4, 5, null],
    ["s/d", 6, null, null],
  ]);
});

it("compares nothing where there is one model and no other run", () => {
  const index = makeIndex(cases);
  expect(contrastsOf({ ...index, models: index.models.slice(0, 1) })).toEqual([]);
});

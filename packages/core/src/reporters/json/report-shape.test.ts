import { expect, it } from "vitest";
import { volatileReportFields } from "../../generated/volatile-report-fields.js";
import { reportShape, volatileFieldsOf } from "./report-shape.js";

it("finds what is volatile, by the place in the report, by the key alone, and in members of one name", () => {
  const found = volatileFieldsOf(reportShape);
  expect(found).toEqual(expect.arrayContaining(["run.id", "**.durationMs", "gates.latency_p95.actual"]));
  expect(volatileReportFields).toEqual([...new Set(found)]);
});

import { volatileReportFields } from "../../generated/volatile-report-fields.js";
import { isRecord } from "../../values/json.js";

const anywhere = new Set(
  volatileReportFields.filter((field) => field.startsWith("**.")).map((field) => field.slice(3)),
);
const placed = new Set(volatileReportFields.filter((field) => !field.startsWith("**.")));

/** A parsed JSON report without its volatile fields. What is left of two runs that came to the same is equal. */
export function withoutVolatileFields(report: unknown): unknown {
  return strip(report, []);
}

function strip(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, stepsOf(item, path)));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isVolatile([...path, key]))
      .map(([key, item]) => [key, strip(item, [...path, key])]),
  );
}

function stepsOf(item: unknown, path: readonly string[]): readonly string[] {
  const isGate = path.length === 1 && path[0] === "gates";
  return isGate && isRecord(item) && typeof item["name"] === "string" ? [...path, item["name"]] : path;
}

function isVolatile(path: readonly string[]): boolean {
  if (placed.has(path.join("."))) return true;
  return anywhere.has(path.slice(-1).join(".")) || anywhere.has(path.slice(-2).join("."));
}

import type { JsonObject, JsonValue } from "../values/json.js";

/** Zero, or what is nearest to it within the bounds of a schema of numbers. `salt` makes the entries of a list differ. */
export function minimalNumber(schema: JsonObject, isWhole: boolean, salt: number): number {
  const step = numberIn(schema["multipleOf"]) ?? (isWhole ? 1 : null);
  const { least, most } = boundsOf(schema, step);
  const start = nearestToZero(least, most);
  if (step === null) return start + salt * (most >= start + salt ? 1 : (most - start) / 1_000);
  const grid = isWhole && !Number.isInteger(step) ? 1 : step;
  const onGrid = (most < 0 ? Math.floor(start / step) : Math.ceil(start / step)) * grid;
  return onGrid + salt * (onGrid + salt * grid > most ? -grid : grid);
}

function boundsOf(schema: JsonObject, step: number | null): { least: number; most: number } {
  const above = numberIn(schema["exclusiveMinimum"]) ?? Number.NEGATIVE_INFINITY;
  const below = numberIn(schema["exclusiveMaximum"]) ?? Number.POSITIVE_INFINITY;
  // Half the way to the other bound, or one.
  const gap = step ?? (Number.isFinite(below - above) ? (below - above) / 2 : 1);
  return {
    least: numberIn(schema["minimum"]) ?? above + gap,
    most: numberIn(schema["maximum"]) ?? below - gap,
  };
}

function nearestToZero(least: number, most: number): number {
  if (least > 0) return least;
  return Math.min(most, 0);
}

export function numberIn(value: JsonValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}

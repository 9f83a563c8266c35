/** What differs between two runs that found out the same: when they ran, and how long things took. */
const volatileKeys: ReadonlySet<string> = new Set([
  "startedAt",
  "endedAt",
  "durationMs",
  "latencyMs",
  "timeToFirstTokenMs",
  "limiter",
  "resumed",
]);

/** A JSON report without what differs from run to run. */
export function stableReport(report: unknown): unknown {
  const { run, ...rest } = withoutVolatile(report) as { run: Record<string, unknown> };
  const { id: _id, ...kept } = run;
  return { run: kept, ...rest };
}

function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (volatileKeys.has(key) ? [] : [[key, withoutVolatile(item)]])),
  );
}

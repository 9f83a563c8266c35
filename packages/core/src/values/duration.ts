const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `500ms`, `30s`, `2m` or `1.5h`, and 0, which needs no unit; null for anything else. */
export function parseDuration(value: unknown): number | null {
  if (value === 0) return 0;
  if (typeof value !== "string") return null;
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(value.trim());
  if (!match) return null;
  return Number(match[1]) * (unitMs[match[2] ?? ""] ?? Number.NaN);
}

/** Why `value` is not a duration: what is wrong with it, and what to write. */
export function explainDuration(value: unknown): [message: string, hint: string] {
  const text = String(value).trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    return [`The duration ${text} has no unit`, `Write ${text}s for seconds, or ${text}ms for milliseconds`];
  }
  return [`"${text}" is not a valid duration`, "Use a number with a unit, such as 500ms, 30s, 2m or 1h"];
}

/** A duration for people: `320 ms`, `1.2 s`, `2 min 5 s`. */
export function renderDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${trimZero((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function trimZero(text: string): string {
  return text.endsWith(".0") ? text.slice(0, -2) : text;
}

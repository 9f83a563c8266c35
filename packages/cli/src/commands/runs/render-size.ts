const units = ["kB", "MB", "GB", "TB"] as const;

/** A number of bytes for people: `812 B`, `1.2 MB`. */
export function renderSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes;
  let unit: string = "B";
  for (const next of units) {
    if (value < 999.5) break;
    value /= 1_000;
    unit = next;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

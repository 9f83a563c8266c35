const unitBytes: Readonly<Record<string, number>> = {
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** What {@link parseSize} reads, as a regular expression for JSON Schema. */
export const sizePattern = "^\\s*\\d+(\\.\\d+)?\\s*(kB|MB|GB|KiB|MiB|GiB)\\s*$";

/** Reads `500 MB` or `1GiB` in bytes; null for anything else. */
export function parseSize(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(kB|MB|GB|KiB|MiB|GiB)$/.exec(text.trim());
  return match === null ? null : Math.round(Number(match[1]) * (unitBytes[match[2] ?? ""] ?? Number.NaN));
}

/** A size for people: `320 bytes`, `1.2 MB`. */
export function renderSize(bytes: number): string {
  const [unit, size] = bytes < 1e3 ? ["bytes", 1] : bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(bytes / size).toFixed(size === 1 ? 0 : 1).replace(/\.0$/, "")} ${unit}`;
}

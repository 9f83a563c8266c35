/** A value of the written config with the comment above it. */
export class Noted {
  readonly value: unknown;
  readonly comments: readonly string[];

  constructor(value: unknown, comments: readonly string[]) {
    this.value = value;
    this.comments = comments;
  }
}

/** The value with comments above it, if there are any. */
export function noted(value: unknown, comments: readonly string[]): unknown {
  const said = comments.filter((comment) => comment.trim() !== "");
  return said.length === 0 ? value : new Noted(value, said);
}

/** The value without its comments. */
export function bare(value: unknown): unknown {
  if (value instanceof Noted) return bare(value.value);
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bare(inner)]));
}

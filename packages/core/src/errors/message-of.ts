/** The message of anything that was thrown, also of what has none that can be read. */
export function messageOf(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.message : String(cause);
  } catch {
    return "a value that cannot be read";
  }
}

import { randomBytes } from "node:crypto";

/** Sortable by time, and unique among runs that start in the same second. */
export function createRunId(startedAt: number): string {
  const stamp = new Date(startedAt).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}

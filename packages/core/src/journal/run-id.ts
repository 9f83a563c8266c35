import { randomBytes } from "node:crypto";

/** Sorts by time, down to the millisecond, and is unique among runs that start in the same one. */
export function createRunId(startedAt: number): string {
  const stamp = new Date(startedAt)
    .toISOString()
    .replaceAll(/[-:.Z]/g, "")
    .replace("T", "-");
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}

import { randomBytes } from "node:crypto";

/** Sorts by time, down to the millisecond, and is unique among runs that start in the same one. */
export function createRunId(startedAt: number): string {
  const stamp = new Date(startedAt)
    .toISOString()
    .replaceAll(/[-:.Z]/g, "")
    .replace("T", "-");
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}

/** When a run began, milliseconds since the epoch, by its id; null for a name that somebody thought of. */
export function startOfRun(id: string): number | null {
  const stamp = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(\d{3})-[0-9a-f]{6}$/.exec(id);
  if (stamp === null) return null;
  const [, year, month, day, hours, minutes, seconds, ms] = stamp;
  const startedAt = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`);
  return Number.isNaN(startedAt) ? null : startedAt;
}

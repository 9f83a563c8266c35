import { renderDuration } from "../values/duration.js";
import type { DoctorCheck } from "./doctor-report.js";

/** Certificates and signed requests bear a few minutes. */
const mostMs = 5 * 60_000;

/**
 * Compares this machine's clock with those of the servers; null when none of them said the time. Where they disagree,
 * the one that is nearest counts, because a server's clock can be off too.
 */
export function checkClock(aheadMs: readonly number[]): DoctorCheck | null {
  const [nearest] = aheadMs.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  if (nearest === undefined) return null;
  const about = { name: "clock", provider: null } as const;
  if (Math.abs(nearest) <= mostMs) return { ...about, status: "ok", message: "agrees with the servers" };
  return {
    ...about,
    status: "warning",
    message: `is ${renderDuration(Math.abs(nearest))} ${nearest > 0 ? "behind" : "ahead of"} the servers`,
    fix: "Set the clock: certificates and signed requests are rejected if the time is wrong",
  };
}

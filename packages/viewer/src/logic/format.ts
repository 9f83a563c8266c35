import { renderUsd } from "../../../core/src/values/usd.js";
import type { ReportStatus } from "../report-data.js";

export const signs: Readonly<Record<ReportStatus, string>> = { passed: "✓", failed: "✗", errored: "!", skipped: "–" };

/** How a trial ended, from the letter in the index. */
export function statusOf(letter: string): ReportStatus {
  return letter === "p" ? "passed" : letter === "f" ? "failed" : "errored";
}

export function usd(cost: number | null): string {
  return cost === null ? "unknown" : renderUsd(cost);
}

export function score(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}

/** Such as `2026-11-20 09:30`, in the time zone of the reader. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

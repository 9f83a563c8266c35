import { renderDuration } from "@kindlm/core";
import { renderCounts, renderWaiting, type RunProgress } from "./run-progress.js";
import { fitWidth } from "./text-width.js";

const mostRunning = 3;

/** The lines of the live region, none wider than the terminal. */
export function renderRegion(
  state: RunProgress,
  now: number,
  columns: number,
  safe: (text: string) => string,
): readonly string[] {
  // The last column stays free: writing to it makes some terminals wrap.
  const room = Math.max(1, columns - 1);
  const lines = [renderBar(state, room), ...renderRunning(state, safe)];
  const waiting = state.running.size === 0 ? null : renderWaiting(state.waiting.values(), now);
  const facts = [`${state.doneTrials}/${state.trials} trials`, ...renderTime(state, now)];
  if (state.costUsd > 0) facts.push(`$${state.costUsd.toFixed(4)}`);
  if (waiting !== null) facts.push(safe(waiting));
  return [...lines, facts.join(" · ")].map((line) => fitWidth(line, room));
}

function renderBar(state: RunProgress, room: number): string {
  const counts = renderCounts(state);
  const length = Math.min(30, room - counts.length - 1);
  if (length < 5) return counts;
  const share = state.trials === 0 ? 0 : Math.min(1, state.doneTrials / state.trials);
  const full = Math.floor(share * length);
  return `${"█".repeat(full)}${"░".repeat(length - full)} ${counts}`;
}

function renderRunning({ running }: RunProgress, safe: (text: string) => string): string[] {
  const shown: string[] = [];
  for (const key of running) {
    if (shown.length === mostRunning) break;
    const [caseId = "", trial = ""] = key.split("\n");
    shown.push(`  ${safe(caseId)}${trial === "1" ? "" : ` (trial ${trial})`}`);
  }
  if (running.size > shown.length) shown.push(`  … and ${running.size - shown.length} more`);
  return shown;
}

function renderTime({ startedAt, doneTrials, trials }: RunProgress, now: number): string[] {
  const elapsed = Math.max(0, now - startedAt);
  if (doneTrials === 0) return [renderDuration(elapsed)];
  const rate = (doneTrials * 1_000) / Math.max(1, elapsed);
  const leftMs = (elapsed / doneTrials) * (trials - doneTrials);
  return [renderDuration(elapsed), `${rate.toFixed(1)}/s`, `about ${renderDuration(leftMs)} left`];
}

import { createSystemClock, type Clock, type RunEvent } from "@kindlm/core";
import { renderDuration } from "@kindlm/core/program";
import type { Progress, ProgressSettings } from "./progress.js";
import { renderCaseLine } from "./render-case-line.js";
import { createRunProgress, renderConfirming, renderCounts, renderWaiting, type RunProgress } from "./run-progress.js";
import { fitWidth, textWidth } from "../terminal/text-width.js";

/** At most ten times per second. */
const redrawMs = 100;
const defaultColumns = 80;
const mostRunning = 3;

/** For a terminal: a few lines at its end that are redrawn during the run and removed when it ends. */
export function createLiveRegion(
  settings: ProgressSettings,
  clock: Pick<Clock, "now"> = createSystemClock(),
): Progress {
  const { stream, verbose, safe } = settings;
  const { state, apply } = createRunProgress();
  let drawn: readonly string[] = [];
  const finished: string[] = [];
  let timer: NodeJS.Timeout | null = null;

  const columns = (): number => stream.columns() ?? defaultColumns;
  const draw = (lines: readonly string[]): void => {
    const above = finished.splice(0).map((line) => `${line}\n`);
    const text = `${eraseLines(drawn, columns())}${above.join("")}${lines.map((line) => `${line}\n`).join("")}`;
    drawn = lines;
    void stream.write(text);
  };
  const redraw = (): void => draw(renderRegion(state, clock.now(), columns(), safe));

  const onEvent = (event: RunEvent): void => {
    apply(event);
    if (verbose && event.type === "case:end") finished.push(renderCaseLine(event.result, settings));
    if (event.type === "confirm:start") finished.push(renderConfirming(event));
    if (event.type === "run:start") {
      timer = setInterval(redraw, redrawMs);
      timer.unref();
    }
    if (event.type === "run:end") stop();
  };
  const stop = (): void => {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    draw([]);
  };
  return { onEvent, stop };
}

/**
 * Moves up over the lines drawn before and erases them. A terminal made narrower since then has wrapped them. Line by
 * line, because tmux keeps a screen in its history that is erased from the first line on.
 */
function eraseLines(lines: readonly string[], columns: number): string {
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
  return rows === 0 ? "" : `\r${"\u001b[1A\u001b[2K".repeat(rows)}`;
}

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

import { createSystemClock, type Clock, type RunEvent } from "@kindlm/core";
import type { Progress, ProgressSettings } from "./progress.js";
import { renderCaseLine } from "./render-case-line.js";
import { renderRegion } from "./render-region.js";
import { createRunProgress, renderConfirming } from "./run-progress.js";
import { textWidth } from "./text-width.js";

/** At most ten times per second. */
const redrawMs = 100;
const defaultColumns = 80;

/** For a terminal: a few lines at its end that are drawn anew while the run goes on, and gone when it ends. */
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

import { renderDuration } from "@kindlm/core/program";
import type { RunEvent } from "@kindlm/core";
import type { Progress, ProgressSettings } from "./progress.js";
import { renderCaseLine } from "./render-case-line.js";
import { createRunProgress, renderConfirming, renderCounts, renderWaiting, type RunProgress } from "./run-progress.js";

/** A wait is worth a line when it is longer than this, and so often at most. */
const longWaitMs = 5_000;

/** A run that is over sooner needs no progress; its result is there immediately. */
const quietMs = 1_000;

/** For pipes and CI: a line every tenth of the run and when it waits long; no control codes. */
export function createPlainProgress(settings: ProgressSettings): Progress {
  const { stream, verbose, safe } = settings;
  const { state, apply } = createRunProgress();
  let tenth = 0;
  let lastWaitLine = Number.NEGATIVE_INFINITY;
  const print = (line: string): void => void stream.write(`${line}\n`);

  const onEvent = (event: RunEvent): void => {
    apply(event);
    if (verbose && event.type === "case:end") print(renderCaseLine(event.result, settings));
    if (event.type === "confirm:start") print(renderConfirming(event));
    if (waitOf(event, state) > longWaitMs && event.time - lastWaitLine >= longWaitMs) {
      lastWaitLine = event.time;
      const waiting = renderWaiting(state.waiting.values(), event.time);
      if (waiting !== null) print(safe(waiting));
    }
    if (event.type !== "case:end" && event.type !== "trial:end" && event.type !== "run:end") return;
    if (state.trials === 0 || event.time - state.startedAt < quietMs) return;
    const share = state.doneTrials / state.trials;
    // The last line waits for the end: a trial may be over before its case is decided.
    const reached = event.type === "run:end" ? 10 : Math.floor(share * 10);
    if (reached <= tenth || (event.type !== "run:end" && (reached === 10 || state.trials < 10))) return;
    tenth = reached;
    const elapsed = renderDuration(event.time - state.startedAt);
    const percent = event.type === "run:end" ? Math.floor(share * 100) : reached * 10;
    print(`${percent}% of ${state.trials} trial${state.trials === 1 ? "" : "s"}: ${renderCounts(state)}, ${elapsed}`);
  };
  return { onEvent, stop: () => undefined };
}

/** A call that is not tried again waits for nothing, and while no other trial runs nobody else does either. */
function waitOf(event: RunEvent, { running }: RunProgress): number {
  if (event.type === "retry:start") return event.waitMs;
  if (event.type !== "limiter") return 0;
  return event.because === "waiting" || running.size > 1 ? event.pausedMs : 0;
}

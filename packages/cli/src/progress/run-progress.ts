import type { KindlmError, RunEvent, TestResult } from "@kindlm/core";

/** A provider call that waits before it is tried again. */
export interface Waiting {
  provider: string;
  /** Such as `rate limit`. */
  reason: string;
  /** Milliseconds since the epoch. */
  until: number;
}

/** How far a run is. */
export interface RunProgress {
  startedAt: number;
  cases: number;
  trials: number;
  doneTrials: number;
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
  /** Of the trials whose price is known. */
  costUsd: number;
  running: ReadonlySet<string>;
  /** Trials that wait to try again, and models whose calls all wait. */
  waiting: ReadonlyMap<string, Waiting>;
}

/** Folds the events of a run into how far it is. */
export function createRunProgress(): { state: RunProgress; apply(event: RunEvent): void } {
  const running = new Set<string>();
  const waiting = new Map<string, Waiting>();
  const counts = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  const state = { startedAt: 0, cases: 0, trials: 0, doneTrials: 0, costUsd: 0, running, waiting, ...counts };
  const apply = (event: RunEvent): void => {
    switch (event.type) {
      case "run:start":
        state.startedAt = event.time;
        state.cases = event.cases;
        state.trials = event.trials;
        break;
      case "confirm:start":
        state.trials += event.trials;
        break;
      case "trial:start":
        running.add(trialKey(event));
        break;
      case "trial:end":
        running.delete(trialKey(event));
        waiting.delete(trialKey(event));
        state.doneTrials += 1;
        state.costUsd += event.costUsd ?? 0;
        break;
      case "trial:carried":
        state.doneTrials += 1;
        state.costUsd += event.costUsd ?? 0;
        break;
      case "case:end":
        state[event.result.status] += 1;
        state.trials -= leftOut(event.result);
        break;
      case "retry:start":
        waiting.set(trialKey(event), {
          provider: event.provider,
          reason: waitReason(event.error),
          until: event.time + event.waitMs,
        });
        break;
      case "limiter":
        if (event.pausedMs > 0) {
          waiting.set(`${event.provider}\n${event.model}`, {
            provider: event.provider,
            reason: event.because === "waiting" ? "to keep its limits" : "rate limit",
            until: event.time + event.pausedMs,
          });
        }
        break;
      case "retry:end":
        waiting.delete(trialKey(event));
        break;
      default:
    }
  };
  return { state, apply };
}

/** Trials that a case did not need. */
function leftOut(result: TestResult): number {
  return result.status !== "skipped" && result.endedEarly === true ? result.runs - (result.trialsRun ?? 0) : 0;
}

/** The wait that ends last, in words such as `waiting 12 s for openai rate limit`; null when nothing waits. */
export function renderWaiting(waiting: Iterable<Waiting>, now: number): string | null {
  let longest: Waiting | null = null;
  for (const one of waiting) if (one.until > now && (longest === null || one.until > longest.until)) longest = one;
  if (longest === null) return null;
  const seconds = Math.ceil((longest.until - now) / 1_000);
  return `waiting ${seconds} s for ${longest.provider} ${longest.reason}`;
}

/** What is said when cases are tried again. */
export function renderConfirming({ cases, trials }: { cases: number; trials: number }): string {
  return `Confirming ${cases} suspect ${cases === 1 ? "case" : "cases"} with ${trials} new ${trials === 1 ? "trial" : "trials"}`;
}

export function renderCounts({ passed, failed, errored, skipped }: RunProgress): string {
  const counts = `${passed} passed, ${failed} failed, ${errored} errored`;
  return skipped > 0 ? `${counts}, ${skipped} skipped` : counts;
}

function trialKey({ caseId, trial }: { caseId: string; trial: number }): string {
  return `${caseId}\n${trial}`;
}

function waitReason(error: KindlmError): string {
  switch (error.code) {
    case "PROVIDER_RATE_LIMIT":
      return "rate limit";
    case "PROVIDER_TIMEOUT":
      return "after a timeout";
    case "PROVIDER_NETWORK_ERROR":
      return "after a network error";
    default:
      return "after an error";
  }
}

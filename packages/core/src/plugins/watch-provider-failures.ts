import type { RunEvent } from "../engine/run-event.js";
import type { ProviderFailedContext, PluginContext } from "./define-plugin.js";

/** What `providerFailed` receives in addition to the context of every hook. */
export type ProviderFailure = Omit<ProviderFailedContext, keyof PluginContext>;

interface CallRef {
  caseId: string;
  trial: number;
  turn: number;
  role?: ProviderFailure["role"];
}

/**
 * Reports each failed attempt once it is known whether another one was made: with the next attempt of its call, or at
 * the end of the turn or the trial.
 */
export function watchProviderFailures(tell: (failed: ProviderFailure) => void): (event: RunEvent) => void {
  const undecided = new Map<string, Omit<ProviderFailure, "callFailed" | "failedAttempts" | "failedCalls">>();
  const counts = new Map<string, { attempts: number; calls: number }>();

  const decide = (key: string, callFailed: boolean): void => {
    const failed = undecided.get(key);
    if (failed === undefined) return;
    undecided.delete(key);
    const count = counts.get(failed.provider) ?? { attempts: 0, calls: 0 };
    counts.set(failed.provider, count);
    count.attempts += 1;
    if (callFailed) count.calls += 1;
    tell({ ...failed, callFailed, failedAttempts: count.attempts, failedCalls: count.calls });
  };

  return (event) => {
    switch (event.type) {
      case "attempt:start":
        decide(keyOf(event), false);
        break;
      case "turn:end":
        decide(keyOf(event), true);
        break;
      case "trial:end":
        // The calls of simulated users and judges are not turns of the trial.
        for (const [key, { caseId, trial }] of undecided) {
          if (caseId === event.caseId && trial === event.trial) decide(key, true);
        }
        break;
      case "attempt:end": {
        const { suite, caseId, trial, role = "agent", provider, turn, attempt, latencyMs, error } = event;
        // An attempt that was stopped is not a failure of the provider.
        if (error === null || !error.code.startsWith("PROVIDER_")) break;
        undecided.set(keyOf(event), { suite, caseId, trial, role, provider, turn, attempt, latencyMs, error });
        break;
      }
      default:
    }
  };
}

function keyOf({ caseId, trial, turn, role = "agent" }: CallRef): string {
  return `${caseId}\n${trial}\n${role}\n${turn}`;
}

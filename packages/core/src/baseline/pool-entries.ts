import type { AttackCounts } from "../engine/injection/injection-record.js";
import { poolEfforts } from "../engine/effort.js";
import { failure, success, type Result } from "../result.js";
import type { BaselineEntry } from "./baseline.js";

/**
 * The trials of a further run together with those of the entry. Of the agent, the answer and the calls, the entry has what it
 * had. Fails with a phrase where the two may not be pooled.
 */
export function poolEntries(saved: BaselineEntry, fresh: BaselineEntry): Result<BaselineEntry, string> {
  const problem = whyNotPooled(saved, fresh);
  if (problem !== null) return failure(problem);
  const [passes, trials] = [saved.passes + fresh.passes, saved.trials + fresh.trials];
  const { attack: _attack, deterministic: _deterministic, effort: _effort, ...rest } = saved;
  return success({
    ...rest,
    passes,
    trials,
    // The share of passes that one run of the case needs.
    isPassed: passes * fresh.trials >= fresh.required * trials,
    ...(saved.attack === undefined || fresh.attack === undefined
      ? {}
      : { attack: poolAttacks(saved.attack, fresh.attack) }),
    ...(saved.deterministic === true && fresh.deterministic === true ? { deterministic: true } : {}),
    scores: poolScores(saved, fresh),
    costUsd:
      saved.costUsd === null || fresh.costUsd === null ? null : Number((saved.costUsd + fresh.costUsd).toPrecision(9)),
    latencyMs: meanOf(saved, fresh, saved.latencyMs, fresh.latencyMs, 1),
    ...(saved.effort === undefined || fresh.effort === undefined
      ? {}
      : { effort: poolEfforts(saved.effort, fresh.effort) }),
    runs: [...(saved.runs ?? []), ...(fresh.runs ?? [])],
  });
}

/** What speaks of another agent, or is the same trial again, must not be counted together. */
function whyNotPooled(saved: BaselineEntry, fresh: BaselineEntry): string | null {
  const [run] = fresh.runs ?? [];
  if (saved.runs === undefined) return "an earlier version of KindLM saved it, so its runs are unknown";
  if (run !== undefined && saved.runs.includes(run)) return "it already contains this run";
  if (saved.checkHash !== fresh.checkHash) return "the check has changed";
  if (saved.agentHash !== fresh.agentHash) return "the agent has changed";
  if (saved.servedBy !== fresh.servedBy) return "another model answered";
  return null;
}

function poolAttacks(one: AttackCounts, other: AttackCounts): AttackCounts {
  return {
    counted: one.counted + other.counted,
    done: one.done + other.done,
    tasks: one.tasks + other.tasks,
    succeeded: one.succeeded + other.succeeded,
  };
}

function poolScores(saved: BaselineEntry, fresh: BaselineEntry): BaselineEntry["scores"] {
  const labels = [...new Set([...Object.keys(saved.scores), ...Object.keys(fresh.scores)])];
  return Object.fromEntries(
    labels.map((label) => {
      const [one, other] = [saved.scores[label], fresh.scores[label]];
      return [
        label,
        one === undefined || other === undefined ? (one ?? other ?? 0) : meanOf(saved, fresh, one, other, 4),
      ];
    }),
  );
}

function meanOf(saved: BaselineEntry, fresh: BaselineEntry, one: number, other: number, digits: number): number {
  const trials = saved.trials + fresh.trials;
  return Number(((one * saved.trials + other * fresh.trials) / trials).toFixed(digits));
}

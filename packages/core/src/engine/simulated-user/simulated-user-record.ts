import { wasSent } from "../../transcript/attempt.js";
import type { SimulatedUserRecord } from "../../transcript/simulated-user.js";
import { addUsage } from "../../transcript/usage.js";

type Told = Pick<SimulatedUserRecord, "model" | "stoppedBy" | "turns" | "conversation" | "calls">;

/** The sums over the requests of a simulated user. */
export function toSimulatedUserRecord(told: Told): SimulatedUserRecord {
  const sums: Omit<SimulatedUserRecord, keyof Told> = {
    requests: 0,
    costUsd: 0,
    unpricedRequests: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  for (const { attempts, usage, costUsd } of told.calls) {
    sums.requests += attempts.filter(wasSent).length;
    if (usage !== null) sums.usage = addUsage(sums.usage, usage);
    if (costUsd === null) sums.unpricedRequests += 1;
    sums.costUsd = sums.costUsd === null || costUsd === null ? null : sums.costUsd + costUsd;
  }
  return { ...told, ...sums };
}

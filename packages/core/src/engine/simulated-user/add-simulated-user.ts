import type { SimulatedUserRecord } from "../../transcript/simulated-user.js";
import { addCosts } from "../../values/add-costs.js";
import type { SimulatedUser } from "./simulated-user.js";

/** Puts into a finished trial what its simulated user did and cost. Without one it stays as it is. */
export function addSimulatedUser(
  trial: { costUsd: number | null; unpricedRequests: number; simulatedUser?: SimulatedUserRecord },
  simulator: Pick<SimulatedUser, "record"> | null,
): void {
  if (simulator === null) return;
  const record = simulator.record();
  trial.costUsd = addCosts(trial.costUsd, record.costUsd);
  trial.unpricedRequests += record.unpricedRequests;
  trial.simulatedUser = record;
}

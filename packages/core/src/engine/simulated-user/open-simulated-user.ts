import type { PlannedCase, RenderedCase } from "../../plan/run-plan.js";
import { failure, success, type Result } from "../../result.js";
import type { SimulatedUserRecord } from "../../transcript/simulated-user.js";
import { addCosts } from "../../values/add-costs.js";
import { createRandom, hashText } from "../../values/random.js";
import { callEvents } from "../call-events.js";
import type { RunContext } from "../run-context.js";
import type { TrialRef } from "../run-event.js";
import { SimulatedUser, simulatedUserError } from "./simulated-user.js";

/** Of all trials whose user's messages are written. */
const noUser: Result<SimulatedUser | null> = success(null);

/** The user of a trial, where a model plays it; null for all other cases. `seed` is that of the trial. */
export function openSimulatedUser(
  planned: PlannedCase,
  rendered: RenderedCase,
  ref: TrialRef,
  seed: number,
  run: RunContext,
): Result<SimulatedUser | null> {
  const { simulator } = planned;
  const { simulatedUser: user } = rendered;
  if (simulator === null || user === undefined) return noUser;
  const route = run.routeThrough(simulator);
  if (!route.success) return failure(simulatedUserError(route.error, simulator[0].model.id, 0));
  const own = hashText(`${seed}\nsimulated_user`);
  return success(
    new SimulatedUser({
      user,
      route: route.data,
      isScripted: (position) => simulator[position]?.model.definition.type === "scripted",
      history: rendered.history,
      maxTrialCostUsd: planned.limits.maxTrialCostUsd,
      origin: { caseId: planned.id, trial: ref.trial, seed: own },
      budget: run.budget,
      clock: run.clock,
      random: createRandom(own),
      listenTo: (request) => callEvents(run.emit, { ...ref, turn: request, role: "simulated_user" }),
    }),
  );
}

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

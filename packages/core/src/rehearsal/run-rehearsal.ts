import type { ResolvedConfig } from "../config/resolved-config.js";
import { createEventStream, type RunEventListener } from "../engine/create-event-stream.js";
import { createMemoryTrialStore } from "../engine/memory-trial-store.js";
import type { EnginePorts } from "../engine/ports.js";
import type { EngineOutcome } from "../engine/run.js";
import type { World } from "../run/environment.js";
import { runTrials } from "../run/run-trials.js";
import { unidentified } from "../plan/identity/case-identity.js";
import type { RunPlan } from "../plan/run-plan.js";
import type { Clock } from "../values/clock.js";

export interface RehearsalSettings {
  plan: RunPlan;
  config: Pick<ResolvedConfig, "env">;
  world: World;
  /** Of the conversations; what assertions start outside has the world's own. */
  clock: Clock;
  onEvent: RunEventListener;
  /** What becomes of finished trials; default: they stay in memory. */
  trials?: EnginePorts["trials"];
}

/** Runs a plan whose models are replaced. Nothing of it is kept: no journal, no cassette, no plugin. */
export async function runRehearsal(rehearsal: RehearsalSettings): Promise<EngineOutcome> {
  const { plan, config, world, clock, onEvent, trials = createMemoryTrialStore() } = rehearsal;
  const ports: EnginePorts = {
    clock,
    http: world.http,
    processes: world.processes,
    env: config.env,
    modules: world.openModules(),
    trials,
    identify: () => unidentified,
    emit: createEventStream([onEvent], clock),
  };
  const { signal, clock: assertionClock } = world;
  const outcome = await runTrials(plan, { runId: "rehearsal", ports, signal, assertionClock });
  await ports.modules.close();
  return outcome;
}

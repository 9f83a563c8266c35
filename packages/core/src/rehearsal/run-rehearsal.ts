import { createAssertionContext } from "../assertions/create-context.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import { createEventStream, type RunEventListener } from "../engine/create-event-stream.js";
import { createMemoryTrialStore } from "../engine/memory-trial-store.js";
import type { EnginePorts } from "../engine/ports.js";
import { run, type EngineOutcome } from "../engine/run.js";
import { createRunAbort } from "../engine/run-abort.js";
import type { FullEnvironment } from "../run/environment-ports.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { unidentified } from "../plan/identity/case-identity.js";
import type { RunPlan } from "../plan/run-plan.js";
import type { Clock } from "../values/clock.js";

export interface Rehearsal {
  plan: RunPlan;
  config: Pick<ResolvedConfig, "env">;
  world: FullEnvironment;
  /** Of the conversations; what assertions start outside has the world's own. */
  clock: Clock;
  onEvent: RunEventListener;
  /** What becomes of finished trials; default: they stay in memory. */
  trials?: EnginePorts["trials"];
}

/** Runs a plan whose models are replaced. Nothing of it is kept: no journal, no cassette, no plugin. */
export async function runRehearsal(rehearsal: Rehearsal): Promise<EngineOutcome> {
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
  const stop = createRunAbort();
  const interrupt = (): void => stop.stop(kindlmError("ENGINE_ABORTED", "The rehearsal was interrupted"));
  if (world.signal?.aborted === true) interrupt();
  world.signal?.addEventListener("abort", interrupt, { once: true });
  const outcome = await run(plan, "rehearsal", ports, stop, createAssertionContext({ ...ports, clock: world.clock }));
  world.signal?.removeEventListener("abort", interrupt);
  await ports.modules.close();
  return outcome;
}

import { createAssertionContext } from "../assertions/create-context.js";
import type { SnapshotWriter } from "../assertions/define-assertion.js";
import type { EnginePorts } from "../engine/ports.js";
import { run, type EngineOutcome } from "../engine/run.js";
import { createRunAbort } from "../engine/run-abort.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { RunPlan } from "../plan/run-plan.js";
import type { Clock } from "../values/clock.js";

interface TrialsSettings {
  runId: string;
  ports: EnginePorts;
  /** Aborts when the user interrupts. */
  signal: AbortSignal | null;
  /** What is interrupted then; default: `runId`. */
  what?: string;
  /** Writes what assertions would compare with; default: they compare. */
  writeSnapshot?: SnapshotWriter | null;
  /** Of what assertions start outside; default: that of the conversations. */
  assertionClock?: Clock;
}

/** Runs the trials of a plan until they are over, or until the user interrupts. */
export async function runTrials(
  plan: RunPlan,
  { runId, ports, signal, what = runId, writeSnapshot = null, assertionClock: clock = ports.clock }: TrialsSettings,
): Promise<EngineOutcome> {
  const abort = createRunAbort();
  const interrupt = (): void => abort.stop(kindlmError("ENGINE_ABORTED", `The ${what} was interrupted`));
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  const outcome = await run(plan, runId, ports, abort, createAssertionContext({ ...ports, clock, writeSnapshot }));
  signal?.removeEventListener("abort", interrupt);
  return outcome;
}

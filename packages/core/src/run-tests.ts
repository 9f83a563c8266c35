import { createAssertionContext } from "./assertions/create-context.js";
import { beginRun } from "./begin-run.js";
import type { RunEventListener } from "./engine/create-event-stream.js";
import { readGit } from "./engine/read-git.js";
import { run } from "./engine/run.js";
import type { RunResult } from "./engine/run-result.js";
import { createStopSwitch, type StopSwitch } from "./engine/trial-deadline.js";
import { completeEnvironment } from "./environment-ports.js";
import type { Environment } from "./environment.js";
import { kindlmError } from "./errors/kindlm-error.js";
import { finishRun } from "./finish-run.js";
import { openEngine } from "./open-engine.js";
import { openRun } from "./open-run.js";
import { success, type Result } from "./result.js";
import type { RunTestsOptions } from "./run-options.js";

/**
 * Runs the tests of one or several configs. Never rejects: what goes wrong in a test is in the result; only what keeps
 * the whole run from starting (a missing or invalid config, a filter that names nothing) is an error.
 */
export async function runTests(
  options: RunTestsOptions,
  environment: Environment,
  onEvent?: RunEventListener,
): Promise<Result<RunResult>> {
  const world = completeEnvironment(environment);
  const begun = await beginRun(options, world);
  if (!begun.success) return begun;
  const { earlier } = begun.data;
  const opened = await openRun(begun.data, world);
  if (!opened.success) {
    await earlier?.lock?.release();
    return opened;
  }
  const { plan, header, journal } = opened.data;
  const startedAt = world.clock.monotonic();
  const engine = await openEngine(opened.data, begun.data.options, world, onEvent);
  if (!engine.success) {
    await journal.close();
    return engine;
  }
  const { ports } = engine.data;
  const git = readGit(world.processes, plan.root, world.env, world.signal);
  const stop = createStopSwitch();
  const unlisten = linkSignal(world.signal, stop);
  const id = header.runId;
  const counts = { suites: plan.suites.length, cases: plan.caseCount, trials: plan.trialCount };
  ports.emit({ channel: "progress", type: "run:start", runId: id, ...counts });
  const outcome = await run(plan, id, ports, stop, createAssertionContext(ports));
  unlisten();
  if (environment.http === undefined) await world.http.close();
  const durationMs = world.clock.monotonic() - startedAt;
  const { options: asked } = begun.data;
  const finished = {
    options: asked,
    opened: opened.data,
    engine: engine.data,
    outcome,
    earlier,
    git: await git,
    durationMs,
  };
  return success(await finishRun(finished, world));
}

function linkSignal(signal: AbortSignal | null, stop: StopSwitch): () => void {
  if (signal === null) return () => undefined;
  const onAbort = (): void => stop.stop(kindlmError("ENGINE_ABORTED", "The run was interrupted"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

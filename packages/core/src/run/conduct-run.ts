import { createAssertionContext } from "../assertions/create-context.js";
import type { BegunRun } from "./begin-run.js";
import type { EarlierTrials } from "../engine/ports.js";
import { readGit } from "../engine/read-git.js";
import { run } from "../engine/run.js";
import type { RunResult } from "../engine/run-result.js";
import { createRunAbort, type RunAbort } from "../engine/run-abort.js";
import type { FullEnvironment } from "./environment-ports.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { finishRun } from "./finish-run.js";
import { openEngine } from "./open-engine.js";
import type { OpenRun } from "./open-run.js";
import { success, type Result } from "../result.js";

/** A run that is ready to start. */
export interface ReadyRun {
  opened: OpenRun;
  begun: BegunRun;
  world: FullEnvironment;
  /** False where `world` has the caller's own transport, which stays open. */
  closesHttp: boolean;
  /** Conversations that are scored in place of trials that are run; absent when all are run. */
  recorded?: EarlierTrials;
}

/** Runs what is planned, from its first trial to the files that it leaves. Fails when a plugin cannot be used. */
export async function conductRun({ opened, begun, world, closesHttp, recorded }: ReadyRun): Promise<Result<RunResult>> {
  const { plan, header, journal } = opened;
  const startedAt = world.clock.monotonic();
  const modules = world.openModules();
  const engine = await openEngine(opened, begun.options, world, modules);
  if (!engine.success) {
    await modules.close();
    await journal.close();
    return engine;
  }
  const { ports } = engine.data;
  if (recorded !== undefined) ports.earlier = recorded;
  const git = readGit(world, plan.root);
  const stop = createRunAbort();
  const unlisten = linkSignal(world.signal, stop);
  const id = header.runId;
  const counts = { suites: plan.suites.length, cases: plan.caseCount, trials: plan.trialCount };
  ports.emit({ channel: "progress", type: "run:start", runId: id, ...counts });
  const outcome = await run(plan, id, ports, stop, createAssertionContext(ports));
  unlisten();
  if (closesHttp) await world.http.close();
  const durationMs = world.clock.monotonic() - startedAt;
  const { earlier, options } = begun;
  const finished = { options, opened, engine: engine.data, outcome, earlier, git: await git, durationMs };
  return success(await finishRun(finished, world));
}

function linkSignal(signal: AbortSignal | null, stop: RunAbort): () => void {
  if (signal === null) return () => undefined;
  const onAbort = (): void => stop.stop(kindlmError("ENGINE_ABORTED", "The run was interrupted"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}
